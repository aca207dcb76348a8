"""The states as they are written out, and as the Bluebook (table T1) abbreviates them before a set of rules."""

from __future__ import annotations

STATES = {
    "Alabama": "Ala.", "Alaska": "Alaska", "Arizona": "Ariz.", "Arkansas": "Ark.", "California": "Cal.",
    "Colorado": "Colo.", "Connecticut": "Conn.", "Delaware": "Del.", "Florida": "Fla.", "Georgia": "Ga.",
    "Hawaii": "Haw.", "Idaho": "Idaho", "Illinois": "Ill.", "Indiana": "Ind.", "Iowa": "Iowa", "Kansas": "Kan.",
    "Kentucky": "Ky.", "Louisiana": "La.", "Maine": "Me.", "Maryland": "Md.", "Massachusetts": "Mass.",
    "Michigan": "Mich.", "Minnesota": "Minn.", "Mississippi": "Miss.", "Missouri": "Mo.", "Montana": "Mont.",
    "Nebraska": "Neb.", "Nevada": "Nev.", "New Hampshire": "N.H.", "New Jersey": "N.J.", "New Mexico": "N.M.",
    "New York": "N.Y.", "North Carolina": "N.C.", "North Dakota": "N.D.", "Ohio": "Ohio", "Oklahoma": "Okla.",
    "Oregon": "Or.", "Pennsylvania": "Pa.", "Rhode Island": "R.I.", "South Carolina": "S.C.", "South Dakota": "S.D.",
    "Tennessee": "Tenn.", "Texas": "Tex.", "Utah": "Utah", "Vermont": "Vt.", "Virginia": "Va.", "Washington": "Wash.",
    "West Virginia": "W. Va.", "Wisconsin": "Wis.", "Wyoming": "Wyo.",
}  # fmt: skip
