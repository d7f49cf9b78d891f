/// An analysis of one loop iteration, which finds the conditions under which the next iterations take the same path.
///
/// Each instruction is examined before the core executes it. The analysis fails at an instruction that changes a
/// peripheral, or that depends in an unsupported way on the count that the loop reads from a peripheral. The core then
/// executes the loop in full.
struct AvrLoopAnalysis {
  private let core: AvrCore
  private let watch: any CoreLoopWatch
  private var values = AvrLoopValues()
  private var ops: [UnsafePointer<AvrOp>] = []
  private var hasCount = false
  /// The register that receives the value read, if the current instruction reads a peripheral.
  private var input: Int?

  private static let longest = 512

  private init(_ core: AvrCore, _ watch: any CoreLoopWatch) {
    (self.core, self.watch) = (core, watch)
  }

  /// Executes and analyses the iteration that starts at PC.
  ///
  /// - Parameters:
  ///   - core: the core.
  ///   - watch: the peripherals' information about the values that the loop reads.
  ///   - end: the cycle by which the iteration must have ended.
  /// - Returns: the path, or `nil` if the analysis failed, and the stop reason if the core stopped.
  static func run(
    _ core: AvrCore, _ watch: any CoreLoopWatch, before end: UInt64
  ) -> (path: AvrLoopPath?, stop: AvrStop?) {
    var analysis = AvrLoopAnalysis(core, watch)
    let start = core.loopState
    let (head, stack, cycles) = (core.pc, core.stack, core.cycles)
    let ram = Array(core.ramBuffer)
    watch.beginIteration()
    _ = watch.takeCount()
    repeat {
      guard core.cycles < min(end, watch.nextEvent), analysis.ops.count < longest else {
        return (nil, nil)
      }
      analysis.ops.append(UnsafePointer(core.decoded(core.pc)))
      guard analysis.examine() else { return (nil, nil) }
      let stop = core.step()
      guard stop == .reached, !core.isAsleep else { return (nil, stop == .reached ? nil : stop) }
      guard analysis.conclude() else { return (nil, nil) }
    } while core.pc != head || core.stack != stack
    analysis.ops.append(analysis.ops[0])
    guard analysis.isClosed(start, ram) else { return (nil, nil) }
    return (analysis.path(cycles: core.cycles - cycles, stack: stack), nil)
  }

  private func isClosed(_ start: AvrLoopState, _ ram: [UInt8]) -> Bool {
    let now = core.ramBuffer
    return values.isClosed
      && start.agrees(core.loopState, values.live)
      && values.cells.allSatisfy {
        let offset = Int($0 &- core.model.ramStart)
        return ram[offset] == now[offset]
      }
  }

  private func path(cycles: UInt64, stack: UInt16) -> AvrLoopPath {
    let used = Set(values.conditions.flatMap { $0.left.captures + $0.right.captures })
    return AvrLoopPath(
      ops: ops, cycles: cycles, stack: stack, live: values.live,
      cells: values.changedCells,
      checks: values.checks.filter {
        if case .capture(let number) = $0.kind { return used.contains(number) }
        return true
      }, conditions: values.conditions)
  }

  // MARK: The current instruction

  private var word: UInt16 { core.flashWord(Int(core.pc)) }
  private var d: Int { Int(word >> 4 & 31) }
  private var r: Int { Int(word & 15 | word >> 5 & 16) }
  private var high: Int { Int(16 | word >> 4 & 15) }
  private var constant: UInt8 { UInt8(word & 15 | word >> 4 & 0xF0) }

  /// Examines the next instruction; returns `false` if the analysis does not support it.
  private mutating func examine() -> Bool {
    values.index = ops.count - 1
    input = nil
    switch word >> 12 {
    case 0...2: return registers()
    case 3: values.combine(high, .constant(constant), isSum: false, stores: false)
    case 4: values.combine(high, .constant(constant), isSum: false, carries: true)
    case 5: values.combine(high, .constant(constant), isSum: false)
    case 6, 7: values.change(high, [], carry: nil)
    case 8, 10: return displaced()
    case 9: return various()
    case 11: return port()
    case 12: break
    case 13: call()
    case 14: values.set(high, .fixed)
    default: return bits()
    }
    return true
  }

  /// Processes the count that the executed instruction read from a peripheral; returns `false` if it is unsupported.
  private mutating func conclude() -> Bool {
    guard watch.takeCount() != nil else { return true }
    guard let input, !hasCount else { return false }
    hasCount = true
    values.set(input, values.count())
    values.look(.count, after: true)
    return true
  }

  private mutating func registers() -> Bool {
    switch word >> 10 {
    case 0:
      guard word != 0 else { return true }
      if word >> 8 == 1 {
        let (to, from) = (Int(word >> 4 & 15) * 2, Int(word & 15) * 2)
        let pair = (values.use(from), values.use(from + 1))
        values.set(to, pair.0)
        values.set(to + 1, pair.1)
        return true
      }
      let isSigned = word >> 8 == 2
      multiply(16 | d & (isSigned ? 15 : 7), 16 | r & (isSigned ? 15 : 7))
    case 1: values.combine(d, .register(r), isSum: false, carries: true, stores: false)
    case 2: values.combine(d, .register(r), isSum: false, carries: true)
    case 3: values.combine(d, .register(r), isSum: true)
    case 4: return values.use(d) == .fixed && values.use(r) == .fixed
    case 5: values.combine(d, .register(r), isSum: false, stores: false)
    case 6: values.combine(d, .register(r), isSum: false)
    case 7: values.combine(d, .register(r), isSum: true, carries: true)
    case 8...10: logic(word >> 10)
    default: values.set(d, values.use(r))
    }
    return true
  }

  /// Processes AND, EOR and OR.
  private mutating func logic(_ code: UInt16) {
    if code == 9, d == r {
      values.setFlags(.fixed)
      return values.set(d, .fixed)
    }
    let (a, b) = (values.use(d), values.use(r))
    if d == r, case .linear(let form, let byte) = a {
      values.setFlags(.unknown)
      if let chain = values.forms[form].chain, values.chains[chain].count == byte + 1 {
        values.negative = .top(chain)
      }
      return
    }
    guard code != 8 else { return values.change(d, [r], carry: nil) }
    for (value, other, number) in [(a, b, r), (b, a, d)] {
      if case .linear = value, other == .fixed, core[register: number] == 0 {
        values.look(.byte(0), number)
        values.setFlags(.unknown)
        return values.set(d, value)
      }
    }
    values.change(d, [r], carry: nil)
  }

  private mutating func multiply(_ a: Int, _ b: Int) {
    let isFixed = values.use(a) == .fixed && values.use(b) == .fixed
    for register in [0, 1] { values.set(register, isFixed ? .fixed : .unknown) }
    (values.carry, values.zero) = isFixed ? (.fixed, .fixed) : (.unknown, .unknown)
  }

  /// Processes the instructions whose highest four bits are 10x0, LDD and STD.
  private mutating func displaced() -> Bool {
    let k = word & 7 | word >> 7 & 0x18 | word >> 8 & 0x20
    return pointed(word & 8 != 0 ? 28 : 30, k, isStore: word & 0x200 != 0)
  }

  /// Processes the instructions whose highest four bits are 1111: branches, and operations on register bits.
  private mutating func bits() -> Bool {
    let bit = Int(word & 7)
    guard word & 0x800 != 0 else { return branch(bit) }
    switch word >> 9 & 3 {
    case 0:
      let isFixed = values.use(d) == .fixed && values.transfer == .fixed
      values.set(d, isFixed ? .fixed : .unknown)
      return true
    case 1:
      values.transfer = values.use(d) == .fixed ? .fixed : .unknown
      return true
    default:
      return values.depends(
        onBit: bit, of: d, isSet: core[register: d] >> UInt8(bit) & 1 != 0)
    }
  }

  private mutating func branch(_ bit: Int) -> Bool {
    let isSet = core.status >> UInt8(bit) & 1 != 0
    switch bit {
    case 0: return values.depends(on: values.carry, .below, outcome: isSet)
    case 1: return values.depends(on: values.zero, .equal, outcome: isSet)
    case 2: return values.depends(on: values.negative, .below, outcome: isSet)
    case 3: return values.overflow == .fixed
    case 4: return values.depends(on: values.sign, .less, outcome: isSet)
    case 5: return values.half == .fixed
    case 6: return values.transfer == .fixed
    default: return true
    }
  }
}

/// The instructions whose highest four bits are 1001: loads and stores, one-operand and zero-operand instructions, and
/// I/O.
extension AvrLoopAnalysis {
  private mutating func various() -> Bool {
    switch word >> 8 & 15 {
    case 0, 1: return loads()
    case 2, 3: return stores()
    case 4, 5: return word & 8 == 0 ? single() : others()
    case 6, 7:
      let (pair, isSum) = (24 + Int(word >> 4 & 3) * 2, word >> 8 & 1 == 0)
      let k = UInt8(word & 15 | word >> 2 & 0x30)
      values.combine(pair, .constant(k), isSum: isSum)
      values.combine(pair + 1, .constant(0), isSum: isSum, carries: true)
      return true
    case 9, 11: return true
    case 8, 10: return false
    default:
      multiply(d, r)
      return true
    }
  }

  private mutating func single() -> Bool {
    switch word & 7 {
    case 0: values.change(d, [], carry: .fixed)
    case 1: values.change(d, [], carry: values.use(d) == .fixed ? .fixed : .unknown)
    case 2:
      if values.use(d) != .fixed { values.set(d, .unknown) } else { values.set(d, .fixed) }
    case 3: values.change(d, [], carry: nil)
    case 5, 6: values.change(d, [], carry: values.use(d) == .fixed ? .fixed : .unknown)
    case 7:
      let isFixed = values.use(d) == .fixed && values.carry == .fixed
      if values.carry != .fixed { values.set(d, .unknown) }
      values.change(d, [], carry: isFixed ? .fixed : .unknown)
    default: return false
    }
    return true
  }

  /// Processes changes of flags, DEC, jumps, calls and returns.
  private mutating func others() -> Bool {
    switch word & 15 {
    case 8:
      switch word >> 4 & 31 {
      case 0...15: values.setFlag(Int(word >> 4 & 7))
      case 16: return ret()
      case 28: return program(0, increments: false)
      default: return false
      }
    case 9:
      guard values.use(30) == .fixed, values.use(31) == .fixed else { return false }
      if word == 0x9509 { call() }
    case 10: values.change(d, [], carry: nil)
    case 12, 13: break
    case 14, 15: call()
    default: return false
    }
    return true
  }

  private mutating func call() {
    values.store(core.stack, .fixed)
    values.store(core.stack &- 1, .fixed)
  }

  private mutating func ret() -> Bool {
    let stack = core.stack
    guard isRAM(stack &+ 1), isRAM(stack &+ 2) else { return false }
    return values.load(stack &+ 1) == .fixed && values.load(stack &+ 2) == .fixed
  }

  private func isRAM(_ address: UInt16) -> Bool {
    address &- core.model.ramStart < core.model.ramCount
  }

  // MARK: Memory

  private mutating func loads() -> Bool {
    switch word & 15 {
    case 0: return load(core.flashWord(Int(core.pc) + 1))
    case 1: return pointed(30, 0, step: 1)
    case 2: return pointed(30, 0xFFFF, step: -1)
    case 4: return program(d, increments: false)
    case 5: return program(d, increments: true)
    case 9: return pointed(28, 0, step: 1)
    case 10: return pointed(28, 0xFFFF, step: -1)
    case 12: return pointed(26, 0)
    case 13: return pointed(26, 0, step: 1)
    case 14: return pointed(26, 0xFFFF, step: -1)
    case 15:
      guard isRAM(core.stack &+ 1) else { return false }
      values.set(d, values.load(core.stack &+ 1))
      return true
    default: return false
    }
  }

  private mutating func stores() -> Bool {
    switch word & 15 {
    case 0: return store(core.flashWord(Int(core.pc) + 1))
    case 1: return pointed(30, 0, step: 1, isStore: true)
    case 2: return pointed(30, 0xFFFF, step: -1, isStore: true)
    case 9: return pointed(28, 0, step: 1, isStore: true)
    case 10: return pointed(28, 0xFFFF, step: -1, isStore: true)
    case 12: return pointed(26, 0, isStore: true)
    case 13: return pointed(26, 0, step: 1, isStore: true)
    case 14: return pointed(26, 0xFFFF, step: -1, isStore: true)
    case 15: return store(core.stack)
    default: return false
    }
  }

  private mutating func load(_ address: UInt16) -> Bool {
    if isRAM(address) {
      values.set(d, values.load(address))
    } else {
      guard address >= 0x20, address < core.model.ramStart else { return false }
      guard address != AvrPorts.status else { return false }
      values.set(d, .fixed)
      input = d
    }
    return true
  }

  private mutating func store(_ address: UInt16) -> Bool {
    guard isRAM(address) else { return false }
    values.store(address, values.use(d))
    return true
  }

  /// Processes a load or store through X, Y or Z; the pointer must be the same in each iteration.
  private mutating func pointed(
    _ pair: Int, _ offset: UInt16, step: Int = 0, isStore: Bool = false
  ) -> Bool {
    guard values.use(pair) == .fixed, values.use(pair + 1) == .fixed else { return false }
    let pointer = core[pair: pair]
    values.look(.pair(pointer), pair)
    guard isStore ? store(pointer &+ offset) : load(pointer &+ offset) else { return false }
    guard step != 0 else { return true }
    // With pointer update, the result of a load into the pointer or a store from it is undefined.
    guard d != pair, d != pair + 1 else { return false }
    values.set(pair, .fixed)
    values.set(pair + 1, .fixed)
    return true
  }

  /// Processes LPM.
  private mutating func program(_ target: Int, increments: Bool) -> Bool {
    guard !core.loadsProgramSpecially else { return false }
    let isFixed = values.use(30) == .fixed && values.use(31) == .fixed
    if increments {
      guard isFixed, target != 30, target != 31 else { return false }
      values.set(30, .fixed)
      values.set(31, .fixed)
    }
    values.set(target, isFixed ? .fixed : .unknown)
    return true
  }

  /// Processes IN and OUT; OUT is supported for SREG only, because other addresses belong to peripherals or the stack
  /// pointer.
  private mutating func port() -> Bool {
    let address = (word & 15 | word >> 5 & 0x30) + 0x20
    guard word & 0x800 == 0 else {
      guard address == AvrPorts.status else { return false }
      switch values.use(d) {
      case .fixed: values.setStatus(.fixed)
      case .status: values.setStatus(.unknown)
      default: return false
      }
      return true
    }
    switch address {
    case AvrPorts.status: values.set(d, .status)
    case AvrPorts.stackLow, AvrPorts.stackHigh: values.set(d, .fixed)
    default:
      values.set(d, .fixed)
      input = d
    }
    return true
  }
}
