import Machines
import NRF52832
import TestSupport
import Testing

struct SystemTests {
  @Test("what start-up code looks at says which part it is")
  func identity() {
    let part = Part()
    #expect(part[0x1000_0010] == 4096)
    #expect(part[0x1000_0014] == 128)
    #expect(part[0x1000_0100] == 0x52832)
    #expect(part[0x1000_0130] == 6)
    #expect(part[0xF000_0FE0] == 6)
    #expect(part[0xF000_0FE8] == 0x50)
    #expect((part[0x1000_1200], part[0x1000_1204]) == (21, 21))
    #expect(part[0x1000_1014] == 0xFFFF_FFFF)
    #expect(part[0x1000_0060] != NRF52832(seed: 8).word(at: 0x1000_0060))
  }

  @Test(
    "flash takes stores only where the controller lets it, clears bits only, and is erased by pages"
  )
  func flash() {
    let part = Part()
    var changes: [[Int]] = []
    part.machine.memories[0].didChange = { changes.append([$0, $1]) }
    part[0x5000] = 0
    #expect(part[0x5000] == 0xFFFF_FFFF)
    part[0x4001_E504] = 1
    let before = part.machine.clock.nanoseconds
    part[0x5000] = 0xFFFF_00FF
    #expect(part.machine.clock.nanoseconds - before == 67_500)
    part[0x5000] = 0x1234_FFFF
    #expect(part[0x5000] == 0x1234_00FF)
    part[0x6000] = 0
    part[0x4001_E504] = 2
    part[0x4001_E508] = 0x5000
    #expect(part[0x5000] == 0xFFFF_FFFF)
    #expect(part[0x6000] == 0)
    #expect(part[0x4001_E400] == 1)
    #expect(changes == [[0x5000, 4], [0x5000, 4], [0x6000, 4], [0x5000, 4096]])
    part[0x4001_E514] = 1
    #expect(part[0x1000_1200] == 0xFFFF_FFFF)
  }

  @Test("random numbers are of the seed, and stop by the shortcut")
  func random() {
    func bytes(_ part: Part) -> [UInt32] {
      part[0x4000_D000] = 1
      return (0..<8).map { _ in
        part[0x4000_D100] = 0
        _ = part.await(0x4000_D100)
        return part[0x4000_D508]
      }
    }
    let (first, second) = (bytes(Part()), bytes(Part()))
    #expect(first == second)
    #expect(Set(first).count > 4)
    #expect(first.allSatisfy { $0 < 256 })
    let part = Part()
    part[0x4000_D200] = 1
    part[0x4000_D000] = 1
    _ = part.await(0x4000_D100)
    part[0x4000_D100] = 0
    #expect(part.await(0x4000_D100, within: 1000) == nil)
  }

  @Test("the thermometer gives quarters of a degree", arguments: [(25.0, 100), (-10.25, -41)])
  func temperature(degrees: Double, quarters: Int32) {
    let part = Part()
    part.machine.analog.temperature = { _ in degrees }
    part[0x4000_C000] = 1
    #expect(part.await(0x4000_C100) != nil)
    #expect(Int32(bitPattern: part[0x4000_C508]) == quarters)
  }

  @Test("the converter measures the battery into RAM")
  func battery() {
    let part = Part()
    part.machine.analog.supply = { _ in 2.7 }
    part[0x4000_7500] = 1
    part[0x4000_7510] = 9
    part[0x4000_7518] = 0x2_0000
    part[0x4000_75F0] = 2
    part[0x4000_762C] = 0x2000_0400
    part[0x4000_7630] = 1
    part[0x4000_7000] = 1
    #expect(part[0x4000_7100] == 1)
    part[0x4000_7004] = 1
    #expect(part.await(0x4000_7104) != nil)
    // 2.7 V through a gain of 1/6 against 0.6 V in 12 bits.
    #expect(part[0x2000_0400] & 0xFFFF == 3072)
    #expect(part[0x4000_7634] == 1)
  }

  @Test("pins have levels on both sides, and an edge is an event and an interrupt")
  func pins() {
    let part = Part()
    var seen: [String] = []
    part.machine.pins.output = { pin, drive, _ in seen.append("\(pin) \(drive)") }
    part[0x5000_0518] = 1 << 17
    part[0x5000_0508] = 1 << 17
    #expect(seen == ["17 driven(false)", "17 driven(true)"])
    part[0x5000_0700 + 13 * 4] = 0xC
    #expect(part[0x5000_0510] >> 13 & 1 == 1)
    part.machine.pins.set(13, to: false)
    #expect(part[0x5000_0510] >> 13 & 1 == 0)
    part[0x4000_6510] = 1 | 13 << 8 | 1 << 16
    part[0x4000_6304] = 1
    part.machine.pins.set(13, to: true)
    #expect(part[0x4000_6100] == 1)
    #expect(part.isPending(6))
    part[0x4000_6514] = 3 | 18 << 8 | 3 << 16
    part[0x4000_6004] = 1
    #expect(part.machine.pins.level(of: 18))
    part[0x4000_6004] = 1
    #expect(!part.machine.pins.level(of: 18))
  }

  @Test("PPI links an event to two tasks, by channels and by groups")
  func links() {
    let part = Part()
    part[0x4001_F510] = 0x4001_4100
    part[0x4001_F514] = 0x4001_4008
    part[0x4001_F910] = 0x4001_400C
    part[0x4001_F800] = 1
    part[0x4001_4000] = 1
    #expect(part[0x4001_4108] == 0)
    part[0x4001_F000] = 1
    #expect(part[0x4001_F500] == 1)
    part[0x4001_4000] = 1
    #expect((part[0x4001_4108], part[0x4001_410C]) == (1, 1))
    part[0x4001_F004] = 1
    #expect(part[0x4001_F500] == 0)
  }

  @Test("a fixed channel of PPI starts a timer with a counter's compare")
  func fixed() {
    let part = Part()
    part[0x4000_0518] = 0
    part[0x4000_0008] = 1
    _ = part.await(0x4000_0104)
    part[0x4001_F504] = 1 << 31
    part[0x4000_B540] = 4
    part[0x4000_B344] = 1 << 16
    part[0x4000_8540] = 1000
    part[0x4000_B000] = 1
    #expect(part.await(0x4000_8140) != nil)
    #expect(part[0x4000_B140] == 1)
  }

  @Test(
    "System OFF ends when a sensed pin has its level; RAM is kept where asked for, and the reason is told"
  )
  func off() {
    let part = Part()
    part[0x2000_0000] = 0x1111_1111
    part[0x2000_2000] = 0x2222_2222
    part[0x4000_0914] = 1 << 16
    part[0x4000_051C] = 0x5A
    part[0x5000_0700 + 11 * 4] = 3 << 16 | 0xC
    part[0x4000_0500] = 1
    #expect(part.pass(microseconds: 10) == .off)
    #expect(part.machine.isOff)
    #expect(part.pass(microseconds: 1_000_000) == .reached)
    part.machine.pins.set(11, to: false)
    #expect(part.pass(microseconds: 10) == .reset(.wakeUp))
    #expect(part[0x4000_0400] == 1 << 16)
    #expect(part[0x2000_0000] == 0)
    #expect(part[0x2000_2000] == 0x2222_2222)
    #expect(part[0x4000_051C] == 0x5A)
    let off = part.machine.energy.states.firstIndex { $0.name == "System OFF" } ?? 0
    let time = part.machine.energy.nanoseconds(of: off, at: part.machine.clock.nanoseconds)
    #expect((999_000_000...1_001_000_000).contains(time))
  }

  @Test("what nobody models is told once and behaves as memory; a strict run stops there")
  func untouched() {
    let part = Part()
    part[0x4000_1504] = 77
    #expect(part[0x4000_1504] == 77)
    #expect(part[0x4000_1504] == 77)
    #expect(part[0x4000_3530] == 0)
    let told = part.machine.untouched.accesses
    #expect(
      told == [
        RegisterAccess(address: 0x4000_1504, bytes: 4, isWrite: true),
        RegisterAccess(address: 0x4000_1504, bytes: 4, isWrite: false),
        RegisterAccess(address: 0x4000_3530, bytes: 4, isWrite: false),
      ])
    part.machine.untouched.isStrict = true
    part[0x4000_1508] = 1
    let access = RegisterAccess(address: 0x4000_1508, bytes: 4, isWrite: true)
    #expect(part.pass(microseconds: 1) == .unmodelled(access))
    #expect(part.pass(microseconds: 1) == .reached)
  }

  @Test("every state of the ledger names its current and where that stands")
  func energy() {
    let part = Part()
    part.pass(microseconds: 1_000_000)
    let ledger = part.machine.energy
    for state in ledger.states {
      #expect(state.microamperes > 0)
      #expect(!state.source.isEmpty)
    }
    let now = part.machine.clock.nanoseconds
    #expect(ledger.nanoseconds(of: 0, at: now) < 1_000_000)
    #expect((999_000_000...1_001_000_000).contains(ledger.nanoseconds(of: 1, at: now)))
  }
}

extension NRF52832 {
  fileprivate func word(at address: UInt32) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(core.readByte(address + $1) ?? 0) << ($1 * 8) }
  }
}
