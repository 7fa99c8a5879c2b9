"""Anti draughts: English draughts with the aim turned round. Source: BrainKing's table of games."""

from dataclasses import replace

from damludo.rules.variants.english import ENGLISH

ANTI = replace(
    ENGLISH,
    key="anti",
    names={"en": "Anti draughts", "eo": "Inversa damludo", "sl": "Obratna dama"},
    stuck_player_wins=True,  # who has no piece or no legal move on his turn wins
    source="BrainKing table of games; moves and draws as English",
    rules=(
        "Moves and captures are those of English draughts; capturing is compulsory.",
        "Who has no piece or no legal move on his turn wins.",
    ),
    pdn_game_type=None,
)
