#if canImport(Foundation)
  public import Foundation
  import Synchronization

  /// Small programs of Tests/Firmware/C, compiled for the tests by Debian's gcc for ARM and AVR.
  public enum FirmwareBuild {
    /// A failed compilation, with the messages of the compiler.
    public struct CompileError: Error, CustomStringConvertible {
      /// The output of the compiler.
      public let description: String
    }

    private static let built = Mutex<[[String]: URL]>([:])

    /// Compiles an ELF for a Cortex-M4.
    ///
    /// Default: without FPU.
    ///
    /// - Parameters:
    ///   - program: the file name in Tests/Firmware/C, without `.c`.
    ///   - board: the microcontroller, as in the names of its linker script and board file.
    ///   - flags: additional compiler flags.
    ///   - script: the linker script. Default: the board's linker script.
    /// - Throws: ``CompileError``, or another error if the compiler is missing.
    /// - Returns: the ELF file.
    public static func arm(
      _ program: String, board: String = "nrf52832", flags: [String] = [], script: String? = nil
    ) throws -> URL {
      try run(
        "arm-none-eabi-gcc",
        [
          "-mcpu=cortex-m4", "-mthumb", "-Os", "-g", "-ffreestanding", "-nostdlib", "-Wall",
          "-Wextra", "-Werror", "-Wl,--no-warn-rwx-segments", "-T", script ?? "\(board).ld",
        ] + flags + ["start.c", "print.c", "\(board).c", "\(program).c", "-lgcc"])
    }

    /// Compiles an ELF for an ATmega328P at 16 MHz.
    ///
    /// - Parameters:
    ///   - program: the file name in Tests/Firmware/C, without `.c`.
    ///   - flags: additional compiler flags.
    ///   - debug: the format of the line information.
    /// - Throws: ``CompileError``, or another error if the compiler is missing.
    /// - Returns: the ELF file.
    public static func avr(
      _ program: String, flags: [String] = [], debug: String = "-gdwarf-2"
    ) throws -> URL {
      try run(
        "avr-gcc",
        [
          "-mmcu=atmega328p", "-DF_CPU=16000000UL", "-Os", debug, "-Wall", "-Wextra", "-Werror",
        ] + flags + ["\(program).c"])
    }

    /// Assembles an ELF for an ATmega328P without start-up file and vectors.
    ///
    /// - Parameter program: the file name in Tests/Firmware/C, without `.S`.
    /// - Throws: ``CompileError``, or another error if the compiler is missing.
    /// - Returns: the ELF file.
    public static func avrAssembly(_ program: String) throws -> URL {
      try run("avr-gcc", ["-mmcu=atmega328p", "-nostartfiles", "-nostdlib", "\(program).S"])
    }

    /// Runs a compiler in the folder of the programs.
    ///
    /// Results for equal arguments are reused.
    private static func run(_ compiler: String, _ arguments: [String]) throws -> URL {
      try built.withLock { built in
        if let known = built[[compiler] + arguments] { return known }
        let folder = FileManager.default.temporaryDirectory
          .appending(path: "aneroid-firmware-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let image = folder.appending(path: "\(built.count).elf")
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/\(compiler)")
        process.arguments = arguments + ["-o", image.path]
        process.currentDirectoryURL = Fixtures.root.appending(path: "Tests/Firmware/C")
        process.standardError = errors
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
          throw CompileError(description: String(decoding: said, as: UTF8.self))
        }
        built[[compiler] + arguments] = image
        return image
      }
    }
  }
#endif
