"""Generates forecast files of every supported kind, with their expected values, from a seed."""

import netCDF4
import numpy as np

from judge import bilinear

STEP = 3600
RAINS = ["bounds by the step", "bounds that begin together", "bounds of six hours", "bounds around the time",
         "cell_methods alone", "since the start", "since each six hours", "a rate", "a mean rate with bounds"]
START = 1_795_305_600  # 2026-11-22T00:00:00Z


def saturated(celsius):
    """Returns the saturation vapour pressure in hPa (Magnus formula with the constants of WMO No.
    8)."""
    return 6.112 * np.exp(17.62 * celsius / (243.12 + celsius))


class Made:
    """A generated file and the weather written to it."""

    def __init__(self, path, seed):
        self.path, self.seed = path, seed
        self.random = np.random.default_rng(seed)
        self.rain_kind = RAINS[seed % len(RAINS)]
        pick = self.random.choice
        self.count = int(pick([9, 13]))
        self.rows = int(pick([7, self.count]))
        self.columns = int(pick([self.rows, 8]))
        self.time = str(pick(["time", "valid_time", "Zeit", "t"]))
        self.row, self.column = ("y", "x") if self.time == "Zeit" else ("latitude", "longitude")
        self.order = [int(i) for i in self.random.permutation(3)]
        self.packed = bool(pick([False, True]))
        self.by_name = bool(pick([False, True]))
        self.humidity = str(pick(["humidity", "dew point"]))
        self.unit = str(pick(["hours", "minutes", "seconds", "days"]))
        self.latitudes = np.linspace(36, 43, self.rows)
        if pick([False, True]):
            self.latitudes = self.latitudes[::-1]
        self.longitudes = np.linspace(350, 356, self.columns) - (360 if pick([False, True]) else 0)
        self.hours = np.arange(self.count)
        self.weather()
        self.write()

    def __str__(self):
        return (f"seed {self.seed}: {self.rain_kind}, ({self.count}, {self.rows}, {self.columns}) stored as {self.order}, "
                f"time '{self.time}' in {self.unit}, packed {self.packed}, by name {self.by_name}, {self.humidity}")

    def weather(self):
        """Creates smooth fields, and showers that are not steady anywhere."""
        t, y, x = np.meshgrid(self.hours, np.arange(self.rows), np.arange(self.columns), indexing="ij")
        a, b, c = self.random.uniform(0.2, 0.9, 3)
        self.celsius = 15 + 8 * np.sin(a * t + 0.3 * y) + 3 * np.cos(b * x)
        self.dew = self.celsius - 1 - 4 * (1 + np.sin(c * t + 0.2 * x))
        # The rain of the hour that ends at each time, including the first hour.
        self.fallen = np.maximum(0, self.random.normal(0.4, 1.2, t.shape)) * (1 + 0.1 * y)

    def window(self):
        """Returns, for each time, the first hour of its rain and the hour after the last."""
        since = {"bounds that begin together": lambda k: 0, "since the start": lambda k: 0,
                 "bounds of six hours": lambda k: k - k % 6, "since each six hours": lambda k: k - k % 6}
        return [(since.get(self.rain_kind, lambda k: k)(k), k + 1) for k in self.hours]

    def write(self):
        file = netCDF4.Dataset(self.path, "w", format=str(self.random.choice(["NETCDF4", "NETCDF3_CLASSIC"])))
        names = (self.time, self.row, self.column)
        for name, size in zip(names, (self.count, self.rows, self.columns)):
            file.createDimension(name, size)
        for name, content, unit, standard in ((self.row, self.latitudes, "degrees_north", "latitude"),
                                              (self.column, self.longitudes, "degrees_east", "longitude")):
            axis = file.createVariable(name, "f8", (name,))
            axis.units = unit
            axis[:] = content
            if not self.by_name:
                axis.standard_name = standard
        self.write_time(file)
        self.write_field(file, names, ("t2m", "air_temperature", "K"), self.celsius + 273.15)
        if self.humidity == "humidity":
            self.write_field(file, names, ("r2", "relative_humidity", "%"),
                             100 * saturated(self.dew) / saturated(self.celsius))
        else:
            self.write_field(file, names, ("d2m", "dew_point_temperature", "K"), self.dew + 273.15)
        self.write_rain(file, names)
        file.close()

    def write_time(self, file):
        """Writes the times: ends of hours, or their middles for bounds that enclose them."""
        seconds = {"hours": 3600, "minutes": 60, "seconds": 1, "days": 86400}[self.unit]
        axis = file.createVariable(self.time, "f8", (self.time,))
        axis.units = f"{self.unit} since 2026-11-22 00:00:00"
        self.ends = (self.hours + 1) * STEP
        middle = STEP // 2 if self.rain_kind == "bounds around the time" else 0
        self.times = self.ends - middle
        axis[:] = self.times / seconds
        if not self.by_name:
            axis.standard_name = "time"
        if "bounds" in self.rain_kind:
            file.createDimension("two", 2)
            axis.bounds = self.time + "_ends"
            bounds = file.createVariable(axis.bounds, "f8", (self.time, "two"))
            bounds[:] = np.array(self.window()) * STEP / seconds

    def write_field(self, file, names, called, content, type="f4", **attributes):
        name, standard, unit = called
        packing = {}
        if self.packed:
            type, packing = "i2", {"fill_value": -32768}
        variable = file.createVariable(name if self.by_name else name + "_of_model", type,
                                       [names[axis] for axis in self.order], **packing)
        variable.setncatts({"standard_name": "unknown" if self.by_name else standard, "units": unit} | attributes)
        if self.packed:
            variable.setncatts({"scale_factor": (content.max() - content.min() + 1e-9) / 65000,
                                "add_offset": (content.max() + content.min()) / 2})
        variable[:] = content.transpose(self.order)

    def write_rain(self, file, names):
        sums = np.stack([self.fallen[first:end].sum(axis=0) for first, end in self.window()])
        if "rate" in self.rain_kind:
            attributes = {"cell_methods": f"area: mean {self.time}: mean"} if "bounds" in self.rain_kind else {}
            self.write_field(file, names, ("prate", "precipitation_flux", "kg m**-2 s**-1"), sums / STEP, **attributes)
            return
        attributes = {}
        if "bounds" in self.rain_kind or self.rain_kind == "cell_methods alone":
            attributes = {"cell_methods": f"{self.time}: sum (interval: 1 hour)"}
        unit, scale = [("mm", 1), ("m", 0.001), ("kg m-2", 1), ("kg/m^2", 1)][self.seed % 4]
        self.write_field(file, names, ("tp", "precipitation_amount", unit), sums * scale, **attributes)

    def here(self, latitude, longitude):
        """Returns temperature, humidity and hourly rain at a location."""
        row = np.interp(latitude, np.sort(self.latitudes), np.argsort(self.latitudes))
        column = np.interp((longitude - self.longitudes[0] + 180) % 360 - 180 + self.longitudes[0], self.longitudes,
                           np.arange(self.columns))
        r, c = min(int(row), self.rows - 2), min(int(column), self.columns - 2)

        def at(field):
            return bilinear(field[:, r:r + 2, c:c + 2], row - r, column - c)

        celsius = at(self.celsius)
        humidity = at(100 * saturated(self.dew) / saturated(self.celsius))
        if self.humidity == "dew point":
            humidity = 100 * saturated(at(self.dew)) / saturated(celsius)
        return celsius, humidity, at(self.fallen)
