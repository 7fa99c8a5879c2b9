"""The message catalogues, one PO file for each language; `damludo.rules.messages` reads them."""
