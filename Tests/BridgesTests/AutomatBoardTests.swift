import Bridges
import I2C
import Testing
import VirtualI2C

/// The board's accelerometer, ports and battery, and the three reasons for an absence.
struct AutomatBoardTests {
  static func bench(
    _ options: SimulatedGATTLink.Options = .init()
  ) -> (clock: VirtualClock, board: AutomatBoard, link: SimulatedGATTLink, adapter: AutomatAdapter)
  {
    let clock = VirtualClock()
    let board = AutomatBoard(VirtualAdapter(clock: clock, frequency: 100_000))
    let link = SimulatedGATTLink(to: board, clock: clock, options: options, seed: 1)
    return (clock, board, link, AutomatAdapter(link, clock: clock))
  }

  @Test("the accelerometer's id register reads 0x69, as the board's own library expects")
  func accelerometer() throws {
    let bench = Self.bench()
    #expect(try bench.adapter.readRegister(0x0F, at: 0x6A) == 0x69)
    try bench.link.write([0x6A, 0x10, 0x40, 0x07], to: 0xFF91)
    #expect(try bench.adapter.readRegister(0x11, at: 0x6A) == 0x07)
    try bench.link.write([0x6A, 0x0F, 0x00], to: 0xFF91)
    #expect(try bench.adapter.readRegister(0x0F, at: 0x6A) == 0x69)
  }

  @Test("the board has twelve digital ports and eight analog inputs of 13 bits")
  func ports() throws {
    let bench = Self.bench()
    bench.board.peripherals.inputs = 0x0800
    bench.board.peripherals.analog[7] = 0xFFFF
    bench.board.peripherals.analog[2] = 0x0123
    try bench.link.write([0xFF, 0xF3], to: 0xFFD1)
    #expect(try bench.link.read(0xFFD1) == [0xFF, 0x03])
    #expect(try bench.link.read(0xFFD2) == [0xFF, 0x0B])
    #expect(bench.board.peripherals.outputs == 0x03FF)
    for (channel, code) in [(UInt8(7), [UInt8(0xFF), 0x1F]), (2, [0x23, 0x01])] {
      try bench.link.write([channel], to: 0xFFD6)
      #expect(try bench.link.read(0xFFD7) == code)
    }
    try bench.link.write([8], to: 0xFFD6)
    #expect(try bench.link.read(0xFFD6) == [2])
    #expect(throws: GATTError.noSuchCharacteristic) { try bench.link.read(0xFFDD) }
  }

  @Test(
    "the battery drains with time and commands, and less if the microcontroller sleeps")
  func battery() throws {
    let hour: UInt64 = 3_600_000_000_000
    let power = BoardPower()
    let idle = power.charge(over: hour, interval: 0, commands: 0)
    #expect(abs(idle - 6.7) < 1e-9)
    #expect(abs(power.sleeping(true).charge(over: hour, interval: 0, commands: 0) - 0.001) < 1e-9)
    // A thousand commands of 118 µC are 0.0328 mAh; 120,000 events of 22 µC are 0.733 mAh.
    let busy = power.charge(over: hour, interval: 30_000_000, commands: 1000)
    #expect(abs(busy - idle - 0.0328 - 0.7333) < 0.0002)
    let life = try #require(
      power.sleeping(true).life(over: hour, interval: 30_000_000, commands: 0))
    #expect((280...310).contains(life))

    var options = SimulatedGATTLink.Options()
    options.power = power
    options.power?.capacity = 7
    let bench = Self.bench(options)
    #expect(bench.link.battery == 100)
    bench.clock.wait(nanoseconds: hour / 2)
    #expect((45...48).contains(bench.link.battery))
    bench.clock.wait(nanoseconds: hour / 2)
    #expect(bench.link.battery == 0 && bench.link.absence == .flat)
  }

  @Test(
    "failures while the board is out of range, silent or without power are counted separately"
  )
  func absences() throws {
    var options = SimulatedGATTLink.Options()
    options.outages = [1_000_000_000..<2_000_000_000]
    options.silences = [3_000_000_000..<4_000_000_000]
    options.batteryLife = 5_000_000_000
    let bench = Self.bench(options)
    for (second, absence) in [
      (UInt64(0), nil), (1, SimulatedGATTLink.Absence.outOfRange), (3, .silent), (6, .flat),
    ] {
      bench.clock.wait(
        nanoseconds: second * 1_000_000_000 - min(bench.clock.nanoseconds, second * 1_000_000_000))
      #expect(bench.link.absence == absence)
      if absence != nil {
        #expect(throws: GATTError.disconnected) { try bench.link.write([0x76], to: 0xFF91) }
      }
    }
    #expect(bench.link.refusals == [.outOfRange: 1, .silent: 1, .flat: 1])
    #expect(bench.link.refused == 3)
  }

  @Test(
    "a battery supplies no more than its charge, and the time at which it became empty is reported")
  func capacity() throws {
    for (charged, interval) in [(1.0, UInt64(30_000_000)), (0.25, 30_000_000), (0.5, 0), (0, 0)] {
      var options = SimulatedGATTLink.Options()
      options.interval = interval
      options.power = BoardPower()
      options.power?.capacity = 7
      options.power?.charged = charged
      let bench = Self.bench(options)
      #expect(bench.link.battery == UInt8((100 * charged).rounded()))
      #expect(bench.link.absence == (charged == 0 ? .flat : nil))
      for _ in 0..<48 { bench.clock.wait(nanoseconds: 300_000_000_000) }
      let end = try #require(bench.link.flatSince)
      #expect(bench.link.charge == 7 * charged && bench.link.battery == 0)
      // 6.7 mA, and 22 µC in each of 33.3 events per second.
      let hours = 7 * charged / (6.7 + (interval == 0 ? 0 : 0.7333))
      #expect(abs(Double(end) / 3.6e12 - hours) < 0.001, "\(Double(end) / 3.6e12) h, \(hours) h")
      if charged > 0 {
        #expect(abs(try #require(bench.link.life(sleeping: false)) - hours) < 0.001)
      } else {
        #expect(bench.link.life(sleeping: false) == nil)
      }
    }
    var options = SimulatedGATTLink.Options()
    options.batteryLife = 0
    #expect(Self.bench(options).link.absence == .flat)
  }
}
