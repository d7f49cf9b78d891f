/// How a byte depends on the count that a loop reads from a peripheral, as far as the analysis can derive it.
enum AvrLoopValue: Equatable {
  /// The byte is the same in each iteration.
  case fixed
  /// The byte is part of an `AvrLoopForm`: `form` is the index of the form, and `byte` is the position of the byte,
  /// where 0 is the lowest.
  case linear(form: Int, byte: Int)
  /// The byte is a copy of SREG whose I flag is the same in each iteration.
  case status
  case unknown
}

/// How a flag depends on the count that a loop reads from a peripheral, as far as the analysis can derive it.
enum AvrLoopFlag: Equatable {
  case fixed
  case unknown
  /// The flag results from the whole multi-byte operation (chain) with this index: C is its carry, Z means that all
  /// bytes are zero, and S means that the left operand is less.
  case wide(Int)
  /// The flag is the top bit of the result of the multi-byte operation (chain) with this index.
  case top(Int)
}

/// An integer that changes by a constant slope with each tick of the count.
struct AvrLoopForm {
  var slope: Int64
  /// `true` if the form is the count itself, which is one byte that does not wrap, so any fixed bytes may be above it.
  var isCount = false
  /// The index of the chain with the most bytes of the addition or subtraction that produced the form.
  var chain: Int?
}

/// The lowest bytes of a multi-byte addition or subtraction; each further byte makes a new, longer chain.
struct AvrLoopChain {
  let isSum: Bool
  /// The indices of the forms of the operands; `nil` for an operand that is the same in each iteration.
  let left: Int?, right: Int?
  let leftSlope: Int64, rightSlope: Int64
  let form: Int
  /// The index of the chain that this one extends by one byte.
  var before: Int?
  var leftBytes = AvrLoopCondition.Bytes(), rightBytes = AvrLoopCondition.Bytes()

  var count: Int { leftBytes.count }
}

/// How registers, flags and memory depend on the count that a loop reads, during the analysis of an iteration.
struct AvrLoopValues {
  enum Operand: Equatable {
    case register(Int)
    case constant(UInt8)
  }

  private(set) var registers = [AvrLoopValue](repeating: .fixed, count: 32)
  private var written = [Bool](repeating: false, count: 32)
  private(set) var live = SIMD32<UInt8>()
  var carry = AvrLoopFlag.unknown, zero = AvrLoopFlag.unknown, negative = AvrLoopFlag.unknown
  var overflow = AvrLoopFlag.unknown, sign = AvrLoopFlag.unknown, half = AvrLoopFlag.unknown
  var transfer = AvrLoopFlag.unknown
  private(set) var forms: [AvrLoopForm] = []
  private(set) var chains: [AvrLoopChain] = []
  private(set) var captures = 0
  private(set) var checks: [AvrLoopPath.Check] = []
  private(set) var conditions: [AvrLoopCondition] = []
  private var memory: [UInt16: AvrLoopValue] = [:]
  private(set) var cells: Set<UInt16> = []
  /// The index of the current instruction.
  var index = 0

  private static let mostBytes = 7
  private static let steepest: Int64 = 1 << 20

  mutating func use(_ register: Int) -> AvrLoopValue {
    if !written[register] { live[register] = 0xFF }
    return registers[register]
  }

  mutating func set(_ register: Int, _ value: AvrLoopValue) {
    written[register] = true
    registers[register] = value
  }

  mutating func load(_ address: UInt16) -> AvrLoopValue {
    if let value = memory[address] { return value }
    cells.insert(address)
    return .fixed
  }

  mutating func store(_ address: UInt16, _ value: AvrLoopValue) { memory[address] = value }

  /// `true` if the values that the next iteration reads do not depend on the count at the end of this iteration.
  var isClosed: Bool {
    (0..<32).allSatisfy { live[$0] == 0 || registers[$0] == .fixed }
      && cells.allSatisfy { memory[$0] ?? .fixed == .fixed }
  }

  // MARK: Checks

  mutating func look(_ kind: AvrLoopPath.Check.Kind, _ register: Int = 0, after: Bool = false) {
    checks.append(
      AvrLoopPath.Check(index: after ? index + 1 : index, register: register, kind: kind))
  }

  private mutating func capture(_ operand: Operand) -> Int16 {
    switch operand {
    case .constant(let byte): return ~Int16(byte)
    case .register(let number):
      look(.capture(captures), number)
      captures += 1
      return Int16(captures - 1)
    }
  }

  // MARK: Arithmetic

  /// Returns the value of a byte read from a count.
  mutating func count() -> AvrLoopValue {
    forms.append(AvrLoopForm(slope: 1, isCount: true))
    return .linear(form: forms.count - 1, byte: 0)
  }

  mutating func setFlags(_ flag: AvrLoopFlag) {
    (zero, negative, overflow, sign) = (flag, flag, flag, flag)
  }

  /// Processes ADD, ADC, SUB, SBC, CP, CPC and similar instructions.
  ///
  /// - Parameters:
  ///   - target: the left operand and, if it `stores`, the result.
  ///   - other: the right operand.
  ///   - isSum: `true` if the operation is an addition.
  ///   - carries: `true` if the operation uses the carry and does not set a Z flag that is clear.
  ///   - stores: `true` if the result is written.
  mutating func combine(
    _ target: Int, _ other: Operand, isSum: Bool, carries: Bool = false, stores: Bool = true
  ) {
    let a = use(target)
    var b = AvrLoopValue.fixed
    if case .register(let number) = other { b = use(number) }
    let isCleared = !isSum && !carries && other == .register(target)
    if isCleared || a == .fixed && b == .fixed && (!carries || carry == .fixed) {
      let before = zero
      setFlags(.fixed)
      (carry, half) = (.fixed, .fixed)
      if carries, !isSum, before != .fixed { zero = .unknown }
      if stores { set(target, .fixed) }
      return
    }
    let zeroBefore = zero
    setFlags(.unknown)
    half = .unknown
    guard let chain = chain(a, b, target, other, isSum: isSum, carries: carries) else {
      carry = .unknown
      if stores { set(target, .unknown) }
      return
    }
    carry = .wide(chain)
    negative = .top(chain)
    if !isSum {
      sign = .wide(chain)
      let isWhole = chains[chain].before.map { zeroBefore == .wide($0) } ?? true
      if isWhole { zero = .wide(chain) }
    }
    if stores { set(target, .linear(form: chains[chain].form, byte: chains[chain].count - 1)) }
  }

  /// Starts a chain, or extends the chain that produced the carry by one byte; returns the index of the new chain, or
  /// `nil` if the operation is unsupported.
  private mutating func chain(
    _ a: AvrLoopValue, _ b: AvrLoopValue, _ target: Int, _ other: Operand, isSum: Bool,
    carries: Bool
  ) -> Int? {
    var next: AvrLoopChain
    if carries {
      guard case .wide(let last) = carry, chains[last].isSum == isSum,
        chains[last].count < Self.mostBytes, fits(a, chains[last].left, chains[last].count),
        fits(b, chains[last].right, chains[last].count)
      else { return nil }
      next = chains[last]
      next.before = last
    } else {
      guard let left = slope(a), let right = slope(b) else { return nil }
      let slope = isSum ? left.slope + right.slope : left.slope - right.slope
      guard slope.magnitude <= Self.steepest else { return nil }
      forms.append(AvrLoopForm(slope: slope))
      next = AvrLoopChain(
        isSum: isSum, left: left.form, right: right.form, leftSlope: left.slope,
        rightSlope: right.slope, form: forms.count - 1)
    }
    guard captures + 2 <= AvrLoopPath.maxCaptures else { return nil }
    next.leftBytes.append(capture(.register(target)))
    next.rightBytes.append(capture(other))
    chains.append(next)
    forms[next.form].chain = chains.count - 1
    return chains.count - 1
  }

  /// Returns the form and the slope of the operand whose lowest byte is this value; the form is `nil` for a byte that
  /// is the same in each iteration.
  private func slope(_ value: AvrLoopValue) -> (form: Int?, slope: Int64)? {
    switch value {
    case .fixed: return (nil, 0)
    case .linear(let form, 0): return (form, forms[form].slope)
    default: return nil
    }
  }

  /// Returns whether a value is byte number `byte` of an operand with a form.
  private func fits(_ value: AvrLoopValue, _ form: Int?, _ byte: Int) -> Bool {
    guard let form else { return value == .fixed }
    return value == .linear(form: form, byte: byte) || value == .fixed && forms[form].isCount
  }

  // MARK: Conditions

  /// Records that the program branches on a flag.
  ///
  /// - Returns: `false` if no condition can be derived.
  mutating func depends(on flag: AvrLoopFlag, _ kind: AvrLoopCondition.Kind, outcome: Bool) -> Bool
  {
    switch flag {
    case .fixed: return true
    case .unknown: return false
    case .top(let chain):
      conditions.append(
        condition(chain, .top(bits: UInt64(8 * chains[chain].count)), outcome))
      return true
    case .wide(let number):
      let chain = chains[number]
      guard !chain.isSum else { return false }
      if kind != .equal, chain.left != nil, chain.right != nil { return false }
      conditions.append(condition(number, kind, outcome))
      return true
    }
  }

  /// Records that the program branches on a bit of a register; returns `false` if no condition can be derived.
  mutating func depends(onBit bit: Int, of register: Int, isSet: Bool) -> Bool {
    switch use(register) {
    case .fixed: return true
    case .linear(let form, let byte):
      let bits = UInt64(8 * byte + bit + 1)
      if let chain = forms[form].chain {
        guard chains[chain].count > byte else { return false }
        conditions.append(condition(chain, .top(bits: bits), isSet))
        return true
      }
      guard captures < AvrLoopPath.maxCaptures else { return false }
      var condition = AvrLoopCondition(
        kind: .top(bits: bits), outcome: isSet, isSum: false, leftSlope: forms[form].slope,
        rightSlope: 0)
      condition.left.append(capture(.register(register)))
      condition.right.append(capture(.constant(0)))
      conditions.append(condition)
      return true
    default: return false
    }
  }

  private func condition(
    _ number: Int, _ kind: AvrLoopCondition.Kind, _ outcome: Bool
  ) -> AvrLoopCondition {
    let chain = chains[number]
    return AvrLoopCondition(
      kind: kind, outcome: outcome, isSum: chain.isSum, left: chain.leftBytes,
      right: chain.rightBytes, leftSlope: chain.leftSlope, rightSlope: chain.rightSlope)
  }
}

/// Instructions other than addition and subtraction.
extension AvrLoopValues {
  /// Processes an instruction that writes a function of its operands to a register and sets Z, N, V and S.
  ///
  /// - Parameters:
  ///   - target: the register that is written, which is also an operand.
  ///   - others: the other operands.
  ///   - newCarry: the new carry; `nil` if it is unchanged.
  mutating func change(_ target: Int, _ others: [Int], carry newCarry: AvrLoopFlag?) {
    var isFixed = use(target) == .fixed
    for other in others where use(other) != .fixed { isFixed = false }
    set(target, isFixed ? .fixed : .unknown)
    setFlags(isFixed ? .fixed : .unknown)
    if let newCarry { carry = newCarry }
    half = .unknown
  }

  /// Processes SEC, CLC and similar instructions.
  mutating func setFlag(_ number: Int) {
    switch number {
    case 0: carry = .fixed
    case 1: zero = .fixed
    case 2: negative = .fixed
    case 3: overflow = .fixed
    case 4: sign = .fixed
    case 5: half = .fixed
    case 6: transfer = .fixed
    default: break
    }
  }

  /// Processes a write to SREG.
  mutating func setStatus(_ flag: AvrLoopFlag) {
    setFlags(flag)
    (carry, half, transfer) = (flag, flag, flag)
  }

  /// The addresses that an iteration reads and then writes.
  var changedCells: [UInt16] { cells.filter { memory[$0] != nil }.sorted() }
}
