import Environment
import Glibc
import Testing

/// The physics of a cabin, compared with the reference table.
struct CabinTests {
  static let millimetre = 133.322387415
  static let station = Air(pressure: 760 * 133.322387415, temperature: 21.85, humidity: 45)

  static func cabin(
    _ hole: Double, volume: Double = 916, process: CabinPlan.Process = .isothermal
  ) -> Cabin {
    var plan = CabinPlan(
      modules: [CabinPlan.Module(name: "all", volume: volume)], air: station)
    plan.leak = CabinPlan.Leak(module: 0, diameter: hole / 1000)
    plan.process = process
    return Cabin(plan)
  }

  static func pressure(_ cabin: Cabin, _ seconds: Double, in module: Int = 0) -> Double {
    cabin.air(in: module, at: UInt64(seconds * 1e9)).pressure / millimetre
  }

  @Test(
    "a hole in 916 m3 causes the reference fall rate, first-mmHg time and time to 490 mmHg",
    arguments: [
      (2.0, 0.0265, 2267.0, 210 * 60.0), (5, 0.166, 363, 33.6 * 60), (10, 0.662, 90.7, 8.4 * 60),
      (12.3, 1.00, 60, 333.6), (20, 2.65, 22.7, 125.9), (50, 16.6, 3.6, 20.1), (100, 66, 0.9, 5.0),
    ] as [(Double, Double, Double, Double)])
  func table(_ hole: Double, _ rate: Double, _ first: Double, _ reserve: Double) {
    let cabin = Self.cabin(hole)
    let found = (760 - Self.pressure(cabin, 0.1)) / 0.1 * 60
    #expect(abs(found - rate) < 0.01 * rate)
    #expect(abs(Self.pressure(cabin, first) - 759) < 0.03)
    #expect(abs(Self.pressure(cabin, reserve * 60) - 490) < 3)
  }

  @Test(
    "an adiabatic fall starts faster, cools the air and reaches 490 mmHg in 0.737 of the time")
  func adiabatic() {
    let (warm, cold) = (Self.cabin(50), Self.cabin(50, process: .adiabatic))
    let slow = 760 - Self.pressure(warm, 1)
    #expect(abs((760 - Self.pressure(cold, 1)) / slow - 1.4) < 0.01)
    #expect(abs(Self.pressure(cold, 20.1 * 60 * 0.737) - 490) < 3)
    let air = cold.air(in: 0, at: 600_000_000_000)
    let ratio = air.pressure / Self.station.pressure
    #expect(abs((air.temperature + 273.15) / 295 - pow(ratio, 0.4 / 1.4)) < 1e-6)
  }

  @Test("closing a hatch stops the fall on the tight side and speeds up that on the leaking side")
  func hatches() {
    var plan = CabinPlan(
      modules: [.init(name: "node", volume: 600), .init(name: "lab", volume: 316)],
      hatches: [.init(0, 1)], air: Self.station)
    plan.leak = CabinPlan.Leak(module: 1, diameter: 0.0123, start: 60_000_000_000)
    plan.operations = [
      .init(at: 660_000_000_000, .close(0)), .init(at: 1_260_000_000_000, .open(0)),
    ]
    let cabin = Cabin(plan)
    #expect(Self.pressure(cabin, 59) == Self.pressure(cabin, 0))
    #expect(abs(Self.pressure(cabin, 660, in: 0) - 750.1) < 0.2)
    #expect(Self.pressure(cabin, 660, in: 0) == Self.pressure(cabin, 660, in: 1))
    #expect(Self.pressure(cabin, 1200, in: 0) == Self.pressure(cabin, 661, in: 0))
    let fall = Self.pressure(cabin, 660, in: 1) - Self.pressure(cabin, 720, in: 1)
    #expect(abs(fall / (1.0 * 750.1 / 760 * 916 / 316) - 1) < 0.03)
    // After reopening, both pressures equal the pressure of all the air together.
    let (node, lab) = (Self.pressure(cabin, 1259.999, in: 0), Self.pressure(cabin, 1259.999, in: 1))
    #expect(abs(Self.pressure(cabin, 1260, in: 0) - (600 * node + 316 * lab) / 916) < 0.01)
    #expect(Self.pressure(cabin, 1300, in: 0) == Self.pressure(cabin, 1300, in: 1))
  }

  @Test("inflow and warming raise the pressure, and a repaired hole keeps the pressure constant")
  func operations() {
    var plan = CabinPlan(modules: [.init(name: "all", volume: 916)], air: Self.station)
    plan.operations = [
      .init(at: 60_000_000_000, .repressurise(module: 0, rate: 2, length: 30_000_000_000))
    ]
    let filled = Cabin(plan)
    #expect(
      abs(filled.air(in: 0, at: 200_000_000_000).pressure - Self.station.pressure - 60) < 1e-6)
    plan.operations = [.init(at: 60_000_000_000, .mend)]
    plan.leak = CabinPlan.Leak(module: 0, diameter: 0.0123)
    let mended = Cabin(plan)
    #expect(Self.pressure(mended, 60) == Self.pressure(mended, 6000))
    var warm = CabinPlan(modules: [.init(name: "all", volume: 916)], air: Self.station)
    warm.temperatureDrift.rise = 1
    warm.temperatureDrift.length = 600_000_000_000
    let air = Cabin(warm).air(in: 0, at: 600_000_000_000)
    #expect(abs(air.temperature - 22.85) < 1e-9)
    #expect(abs(air.pressure / Self.station.pressure - 296.0 / 295) < 1e-9)
    var swing = CabinPlan(modules: [.init(name: "all", volume: 916)], air: Self.station)
    swing.temperatureDrift.amplitude = 0.5
    swing.temperatureDrift.period = 4_000_000_000
    #expect(abs(Cabin(swing).air(in: 0, at: 1_000_000_000).temperature - 22.35) < 1e-9)
  }
}

/// Water vapour in a leaking cabin.
struct CabinHumidityTests {
  /// Returns the mixing ratio of air in kg of water per kg of dry air, by the Magnus formula.
  static func mixingRatio(_ air: Air) -> Double {
    let saturation = 611.2 * exp(17.62 * air.temperature / (243.12 + air.temperature))
    let vapour = saturation * air.humidity / 100
    return 0.622 * vapour / (air.pressure - vapour)
  }

  @Test(
    "while air escapes, the mixing ratio is constant and the relative humidity changes accordingly",
    arguments: CabinPlan.Process.allCases)
  func leak(_ process: CabinPlan.Process) {
    let cabin = CabinTests.cabin(20, process: process)
    let before = cabin.air(in: 0, at: 0)
    let after = cabin.air(in: 0, at: 600_000_000_000)
    #expect(abs(before.humidity - 45) < 1e-9)
    #expect(after.pressure < 0.98 * before.pressure)
    #expect(abs(Self.mixingRatio(after) / Self.mixingRatio(before) - 1) < 1e-9)
    if process == .isothermal {
      #expect(abs(after.humidity - 45 * after.pressure / before.pressure) < 1e-9)
    } else {
      #expect(after.humidity > before.humidity, "it cools")
    }
  }

  @Test("warming lowers the relative humidity, inflowing air is dry, and humidity is at most 100 %")
  func others() {
    var plan = CabinPlan(modules: [.init(name: "all", volume: 916)], air: CabinTests.station)
    plan.temperatureDrift.rise = 2
    plan.temperatureDrift.length = 60_000_000_000
    let warm = Cabin(plan).air(in: 0, at: 120_000_000_000)
    #expect(abs(Self.mixingRatio(warm) / Self.mixingRatio(CabinTests.station) - 1) < 1e-9)
    #expect(warm.humidity < 41)
    plan.temperatureDrift.rise = -20
    #expect(Cabin(plan).air(in: 0, at: 120_000_000_000).humidity == 100)
    plan.temperatureDrift.rise = 0
    plan.operations = [
      .init(at: 0, .repressurise(module: 0, rate: 100, length: 60_000_000_000))
    ]
    let filled = Cabin(plan).air(in: 0, at: 120_000_000_000)
    #expect(filled.pressure > CabinTests.station.pressure + 5999)
    #expect(abs(filled.humidity - 45) < 1e-9, "as much vapour in as much room")
  }

  @Test("an action of the crew changes the air only from the time of the action on")
  func performed() {
    var plan = CabinPlan(
      modules: [.init(name: "a", volume: 400), .init(name: "b", volume: 500)],
      hatches: [.init(0, 1)], air: CabinTests.station)
    plan.leak = CabinPlan.Leak(module: 1, diameter: 0.0123)
    plan.operations = [.init(at: 900_000_000_000, .mend)]
    let cabin = Cabin(plan)
    let before = cabin.air(in: 0, at: 500_000_000_000)
    cabin.perform(.close(0), at: 600_000_000_000)
    #expect(cabin.air(in: 0, at: 500_000_000_000) == before)
    let shut = cabin.air(in: 0, at: 600_000_000_000)
    #expect(cabin.air(in: 0, at: 800_000_000_000) == shut)
    #expect(cabin.air(in: 1, at: 800_000_000_000).pressure < shut.pressure)
    let mended = cabin.air(in: 1, at: 900_000_000_000)
    #expect(cabin.air(in: 1, at: 2_000_000_000_000) == mended, "what was planned still comes")
  }
}
