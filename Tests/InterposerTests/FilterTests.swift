import CInterposer
import Glibc
import Interposer
import Testing

/// The decisions of the seccomp filter, executed by an independent BPF interpreter.
struct FilterTests {
  /// Runs classic BPF on a `struct seccomp_data`.
  static func run(
    _ program: FilterProgram, _ number: Int32, _ arguments: [UInt64],
    architecture: UInt32 = interposer_architecture()
  ) -> UInt32? {
    var data: [UInt32] = [UInt32(bitPattern: number), architecture, 0, 0]
    for argument in arguments + Array(repeating: 0, count: 6 - arguments.count) {
      data += [UInt32(truncatingIfNeeded: argument), UInt32(argument >> 32)]
    }
    var (accumulator, counter): (UInt32, Int) = (0, 0)
    while counter < program.instructions.count {
      let instruction = program.instructions[counter]
      counter += 1
      switch instruction.code {
      case 0x20: accumulator = data[Int(instruction.k) / 4]
      case 0x54: accumulator &= instruction.k
      case 0x15: counter += Int(accumulator == instruction.k ? instruction.jt : instruction.jf)
      case 0x35: counter += Int(accumulator >= instruction.k ? instruction.jt : instruction.jf)
      case 0x06: return instruction.k
      default: return nil
      }
    }
    return nil
  }

  static let notify: UInt32 = 0x7FC0_0000
  static let pass: UInt32 = 0x7FFF_0000

  private func decides(
    _ call: SystemCall, _ arguments: [UInt64], mode: InterposerMode = .full
  ) throws -> Bool {
    let filter = FilterProgram(slots: 960..<1024, mode: mode)
    let decision = Self.run(filter, try #require(call.number), arguments)
    #expect(decision == Self.notify || decision == Self.pass)
    return decision == Self.notify
  }

  @Test(
    "an ioctl is intercepted according to the lower 32 bits of its request code, or by its descriptor"
  )
  func ioctl() throws {
    #expect(try decides(.ioctl, [3, 0x0707]))
    #expect(try decides(.ioctl, [960, 0xFFFF_FFFF_0000_0720]))
    #expect(try decides(.ioctl, [960, 0x5401]))
    #expect(try !decides(.ioctl, [959, 0x5401]))
    #expect(try !decides(.ioctl, [3, 0xC008_0707]))
  }

  @Test(
    "reads, writes and copies are intercepted by their descriptor",
    arguments: [.read, .write, .readv, .fstatfs, .lseek, .dup, .dup3, .fcntl]
      as [SystemCall])
  func descriptors(_ call: SystemCall) throws {
    for (descriptor, isOurs) in [
      (0, false), (959, false), (960, true), (1023, true), (1024, false), (UInt64.max, false),
    ] {
      #expect(try decides(call, [descriptor]) == isOurs)
    }
  }

  @Test(
    "fstat and fchdir are always intercepted in full mode, and in fast mode only on a synthetic descriptor",
    arguments: [.fstat, .fchdir] as [SystemCall])
  func status(_ call: SystemCall) throws {
    for descriptor in [0, 5, 959, 960, 1023, 1024] as [UInt64] {
      #expect(try decides(call, [descriptor]))
      #expect(
        try decides(call, [descriptor], mode: .fast) == (960..<1024).contains(descriptor))
    }
  }

  @Test(
    "a call with several descriptors is intercepted if one of them is synthetic, at its argument index"
  )
  func severalDescriptors() throws {
    for (call, indices) in [
      (.sendfile, [0, 1]), (.copyFileRange, [0, 2]), (.splice, [0, 2]), (.epollControl, [2]),
      (.mmap, [4]), (.fsync, [0]),
    ] as [(SystemCall, [Int])] {
      for index in 0..<6 {
        for (descriptor, isOurs) in [(959, false), (960, true), (1023, true), (1024, false)]
          as [(UInt64, Bool)]
        {
          var arguments = [UInt64](repeating: 7, count: 6)
          arguments[index] = descriptor
          #expect(try decides(call, arguments) == (isOurs && indices.contains(index)))
        }
      }
    }
  }

  @Test("io_uring_setup fails with ENOSYS in the kernel")
  func uring() throws {
    let filter = FilterProgram(slots: 960..<1024, mode: .fast)
    let decision = Self.run(filter, try #require(SystemCall.uringSetup.number), [8, 0])
    #expect(decision == 0x0005_0000 | UInt32(ENOSYS))
  }

  @Test(
    "in full mode every path is intercepted, in fast mode only read-write opens and file changes"
  )
  func paths() throws {
    let here = UInt64(bitPattern: Int64(AT_FDCWD))
    let (reading, both) = (UInt64(O_RDONLY), UInt64(O_RDWR | O_CREAT | O_CLOEXEC))
    for mode in InterposerMode.allCases {
      #expect(try decides(.openat, [here, 1, both], mode: mode))
      #expect(try decides(.openat, [here, 1, reading], mode: mode) == (mode == .full))
      #expect(try decides(.openat, [here, 1, UInt64(O_WRONLY)], mode: mode) == (mode == .full))
      #expect(try decides(.openat, [here, 1, UInt64(O_WRONLY | O_CREAT)], mode: mode))
      #expect(try decides(.newfstatat, [here], mode: mode) == (mode == .full))
      #expect(try decides(.statx, [970], mode: mode))
      #expect(try decides(.faccessat, [here], mode: mode) == (mode == .full))
      #expect(try decides(.openat2, [here], mode: mode))
      #expect(try decides(.getdents64, [3], mode: mode) == (mode == .full))
      for change in [.mknodat, .unlinkat, .renameat2, .fchmodat, .bind] as [SystemCall] {
        #expect(try decides(change, [here], mode: mode))
      }
    }
  }

  @Test(
    "calls with a timeout are intercepted in virtual time only",
    arguments: [
      (.clockNanosleep, [0, 0, 0, 0], true), (.clockGettime, [0, 0], true),
      (.poll, [0, 0, 5], true), (.poll, [0, 0, 0], false), (.poll, [0, 0, 0xFFFF_FFFF], false),
      (.epollWait, [0, 0, 0, 1], true), (.epollWait, [0, 0, 0, UInt64.max], false),
      (.select, [1, 0, 0, 0, 0x7000], true), (.select, [1, 0, 0, 0, 0], false),
      (.futex, [0, 0x80, 0, 0x7000], true), (.futex, [0, 0x189, 0, 0x7000], true),
      (.futex, [0, 0x80, 0, 0], false), (.futex, [0, 0x81, 0, 0x7000], false),
    ] as [(SystemCall, [UInt64], Bool)])
  func time(_ call: SystemCall, _ arguments: [UInt64], _ isOurs: Bool) throws {
    guard let number = call.number else { return }
    for isVirtual in [true, false] {
      let filter = FilterProgram(slots: 960..<1024, mode: .full, isTimeVirtual: isVirtual)
      let decision = Self.run(filter, number, arguments)
      #expect(decision == (isVirtual && isOurs ? Self.notify : Self.pass))
    }
  }

  @Test("all other calls pass, and so do calls of other architectures")
  func others() {
    let filter = FilterProgram(slots: 960..<1024, mode: .full)
    let ours = Set(SystemCall.allCases.compactMap(\.number))
    for number in 0..<600 as Range<Int32> where !ours.contains(number) {
      #expect(Self.run(filter, number, [960, 0x0707]) == Self.pass)
    }
    for call in SystemCall.allCases {
      guard let number = call.number else { continue }
      #expect(Self.run(filter, number, [960, 0x0707], architecture: 0x4000_0003) == Self.pass)
    }
  }

  @Test("the call numbers are those of this architecture")
  func numbers() {
    #if arch(x86_64)
      let numbers: [Int32] = [16, 257, 267, 195]
    #else
      let numbers: [Int32] = [29, 56, 78, 12]
    #endif
    let calls: [SystemCall] = [.ioctl, .openat, .readlinkat, .llistxattr]
    #expect(calls.compactMap(\.number) == numbers)
    #expect(SystemCall.faccessat2.number == 439)
    #expect(Set(SystemCall.allCases.compactMap(\.number)).count > 25)
  }
}
