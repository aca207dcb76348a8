"""Define the word lists for reading case names: small words, firms, signals, and the Bluebook's abbreviations."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


# Small words inside a name.
SMALL = words(
    """
    of the and & for ex rel. rel de la du von van der den del y et al. al on behalf to
    """
)
# Small words that a name may begin with.
PARTICLES = words("de la du von van der den del")
# Words that may follow a comma inside a name.
FIRMS = words(
    """
    inc incorporated corp co llc llp lp l.l.c l.l.p l.p ltd plc n.a s.a s.c p.c p.a p.l.c jr sr et usa u.s.a
    """
)
# Words that open a sentence or point to a citation, and do not belong to the name behind them.
SIGNALS = words(
    """
    see also in but cf accord e.g compare contra citing quoting under as per and following because while although
    since when after before unlike like distinguishing overruling overruled where for by with if that here thus this
    the a an its their these those such both held from at to on or nor so yet then now however moreover
    furthermore indeed finally first second third instead rather only even applying affirming reversing reversed
    affirmed discussing noting relying decision case court supra id later earlier recently today consequently
    accordingly additionally similarly likewise hence therefore next still again pursuant says
    """
)
# Words that open the next sentence behind an abbreviation.
OPENERS = words(
    """
    the in this that it he she they we a an see but however there id here because although when under as after
    before if while for at on by with accordingly thus moreover further furthermore finally similarly
    """
)
# Words that may end with a dot inside a name, by the Bluebook's tables of abbreviations.
ABBREVIATED = words(
    """
    acad acct adm admin adver advert aff afr agric alt am amer app apr arb arch ariz ark ass assoc atl att auth auto
    ave bankr bd ben bhd bldg blvd bos broad bros bus cal cap cas cath cent cert cf char chem chi chron cir cmty
    cnty co col coll colo com comm commc comp compl con condo conf cong conn cons const constr consumer cont contr
    coop corp corr cosm counc couns cred crim ct cty def del delinq dem dep det dev dir disc dist div dr eccl ecol
    econ ed educ elec emp empl enf eng ent enter env equip est eur ex exam exch exec exp expl export fam fed fid fin
    fla frat ft ga gen geo gov grp guar hist hon hosp hous hum ill imp inc ind indem indus info init inj innov ins
    inst int inv invs jr jud juris kan ky la lab lib liab lim litig loc logist lt ltd mach mag maint mar mass mat md
    me mech med mem merch metro mfg mfr mgmt mich mil min minn miss mkt mkts mo mod mont mortg mr mrs ms mt mun mut
    nat neb nev no nw okla op opt or ord org pa pac pers petrol ph pharm phila phil phys pol pr pres prison priv
    prob proc prod prof prop prot psych pub publ rd rec ref reg rehab rel relat rep reprod res rest ret rev ry sav
    sch sci se sw sec serv shr soc socy sol solic sp spec sr st sta stat ste stn subcomm supt sur surv sys tech tel
    telecomm temp tenn tex theatre tpk tr transcon transp treas trib trs twp univ util va veh vet vill vs vt wash
    wis wyo
    apps assocs chems civ cos ctr ctrs devs ents envtl hldg hldgs indep inds intell labs pship prods props rts servs
    sols techs
    """
)

# Abbreviations -> the word that another text may write out.
WRITTEN_OUT = {
    "assn": "association", "bd": "board", "bros": "brothers", "cnty": "county", "cty": "county", "co": "company",
    "commn": "commission", "commr": "commissioner", "corp": "corporation", "dept": "department", "dist": "district",
    "ed": "education", "educ": "education", "govt": "government", "hosp": "hospital", "inc": "incorporated",
    "ins": "insurance", "intl": "international", "ltd": "limited", "mfg": "manufacturing", "natl": "national",
    "ry": "railway", "sch": "school", "univ": "university",
}  # fmt: skip

# First words that do not identify a party without the words behind them.
GENERIC = words(
    """
    united state states people commonwealth city county town village board department national american international
    federal first second third new north south east west northern southern eastern western general public the in
    bank school university estate matter commissioner secretary attorney us central great
    """
)
