public import Quantities

/// A constant error of each quantity of a part, or its change in a year, in °C, Pa and %RH; 0 unless given.
public typealias PartDeviation = PerQuantity<Double>
