import Glibc
import Images
import Machines
package import Support

/// Code coverage of an image.
package final class CoverageMap {
  /// Coverage of a source file.
  fileprivate struct Source {
    /// The lines with code, by line number; `true` if an instruction of the line has been executed.
    var lines: [Int: Bool] = [:]
    /// The functions, by name, with their first line; `hasRun` is `true` if the function has been executed.
    var functions: [String: (line: Int, hasRun: Bool)] = [:]
  }

  private let bench: FirmwareBench
  /// The source files named in the image that do not exist on this machine.
  private var missing: [String] = []
  /// `true` if none of the image's source files exists on this machine.
  private var isForeign = false

  /// Starts recording executed instructions.
  ///
  /// - Throws: `Failure` if the image has no line information, or if the line information cannot be read.
  init(_ bench: FirmwareBench) throws(Failure) {
    self.bench = bench
    let image = bench.image
    guard image.form == .elf else {
      throw image.failure(
        "the image has no line information, which --coverage needs: use the ELF file")
    }
    try AddressLines.tool()
    guard image.hasLines, try Self.knowsLines(image) else {
      throw image.failure(
        image.hasStabs
          ? "the image has stabs line information, but --coverage needs DWARF: build with -gdwarf-2"
          : "the image has no line information, which --coverage needs: build with -g")
    }
    bench.machine.core.recordCoverage()
  }

  /// Returns whether the image has line information for any function of the program.
  ///
  /// The presence of line information alone is not sufficient, because libraries may contain some.
  private static func knowsLines(_ image: FirmwareImage) throws(Failure) -> Bool {
    let functions = image.symbols.functions.filter { $0.kind == .function && $0.size > 0 }
    let starts = functions.map(\.address)
    return try AddressLines.frames(of: starts, in: image.path).contains { !$0.isEmpty }
  }

  /// Returns the coverage of lines and functions as an lcov tracefile ("geninfo(1)", FILES), which genhtml reads.
  ///
  /// If a copy of an inlined function was executed, both its lines and the line of the call count as executed. Files that
  /// do not exist on this machine, such as those of a compiler's library, are omitted unless all files are missing.
  ///
  /// - Throws: `Failure` if the line information cannot be read.
  package func text() throws(Failure) -> String {
    let addresses = instructions
    let frames = try AddressLines.frames(of: addresses, in: bench.image.path)
    var sources: [String: Source] = [:]
    for (address, frames) in zip(addresses, frames) {
      let hasRun = bench.machine.core.hasRun(address)
      for frame in frames { sources[frame.file, default: Source()].note(frame, hasRun) }
    }
    missing = sources.keys.filter { access($0, R_OK) != 0 }.sorted()
    isForeign = missing.count == sources.count
    if !isForeign { for file in missing { sources[file] = nil } }
    return "TN:\n" + sources.sorted { $0.key < $1.key }.map { $1.section($0) }.joined()
  }

  /// Returns a note about what the tracefile that `text()` has created omits; `nil` if it is complete.
  package func warning(_ path: String) -> String? {
    guard let first = missing.first else {
      return bench.image.hasStabs
        ? "\(path) lacks functions with stabs line information: build everything with -gdwarf-2"
        : nil
    }
    let shown = "\(first)\(missing.count > 1 ? " and others" : "")"
    return isForeign
      ? "none of the \(missing.count) source files in \(path) exists on this machine (\(shown)); build with -g"
      : "\(path) lacks \(missing.count) source files that do not exist on this machine: \(shown)"
  }

  /// The addresses at which an instruction of a function may begin, which are all halfword addresses in the function.
  private var instructions: [UInt32] {
    bench.image.symbols.functions.filter { $0.kind == .function && $0.size > 0 }.flatMap {
      stride(from: $0.address, to: $0.address &+ min($0.size, 1 << 20), by: 2)
    }
  }
}

extension CoverageMap.Source {
  fileprivate mutating func note(_ frame: AddressLines.Frame, _ hasRun: Bool) {
    lines[frame.line] = (lines[frame.line] ?? false) || hasRun
    guard let name = frame.function else { return }
    let known = functions[name] ?? (frame.line, false)
    functions[name] = (min(known.line, frame.line), known.hasRun || hasRun)
  }

  fileprivate func section(_ file: String) -> String {
    let lines = lines.sorted { $0.key < $1.key }
    let functions = functions.sorted { ($0.value.line, $0.key) < ($1.value.line, $1.key) }
    var text = "SF:\(file)\n"
    for (name, function) in functions { text += "FN:\(function.line),\(name)\n" }
    for (name, function) in functions { text += "FNDA:\(function.hasRun ? 1 : 0),\(name)\n" }
    text += "FNF:\(functions.count)\nFNH:\(functions.count { $0.value.hasRun })\n"
    for (line, hasRun) in lines { text += "DA:\(line),\(hasRun ? 1 : 0)\n" }
    return text + "LF:\(lines.count)\nLH:\(lines.count { $0.value })\nend_of_record\n"
  }
}

/// The source lines of addresses, found by `addr2line` from GNU binutils.
package enum AddressLines {
  /// A function and a line in it; an instruction of an inlined function has several frames.
  package struct Frame: Hashable, Sendable {
    /// The function; `nil` if unknown.
    package let function: String?
    /// The path of the source file as recorded by the compiler.
    package let file: String
    /// The line, from 1.
    package let line: Int

    /// Creates a frame.
    package init(function: String?, file: String, line: Int) {
      (self.function, self.file, self.line) = (function, file, line)
    }
  }

  /// The paths at which addr2line may be installed.
  private static let programs = ["/usr/bin/addr2line", "/usr/local/bin/addr2line"]

  /// Returns the source lines of addresses.
  ///
  /// - Parameters:
  ///   - addresses: the addresses.
  ///   - image: the ELF file.
  /// - Returns: the frames of each address, the innermost first; empty if the line is unknown.
  /// - Throws: `Failure` (unavailable) if addr2line is not installed.
  package static func frames(of addresses: [UInt32], in image: String) throws(Failure) -> [[Frame]]
  {
    let program = try tool()
    var frames: [[Frame]] = []
    // Command lines longer than about 100 KiB are not portable.
    for start in stride(from: 0, to: addresses.count, by: 4000) {
      let part = addresses[start..<min(start + 4000, addresses.count)]
      let arguments =
        [program, "-a", "-i", "-f", "-C", "-e", image] + part.map { "0x" + String($0, radix: 16) }
      let found = read(try ChildOutput.text(of: arguments))
      guard found.count == part.count else {
        throw Failure(
          .unavailable, "addr2line returned \(found.count) addresses instead of \(part.count)")
      }
      frames += found
    }
    return frames
  }

  /// Returns the path of addr2line.
  ///
  /// - Throws: `Failure` (unavailable) if addr2line is not installed.
  @discardableResult
  package static func tool() throws(Failure) -> String {
    guard let program = programs.first(where: { access($0, X_OK) == 0 }) else {
      throw Failure(
        .unavailable, "addr2line is not installed: install binutils")
    }
    return program
  }

  /// Parses the output of addr2line.
  ///
  /// For each address it prints a line with the address and then a pair of lines per frame: the function, and
  /// `/a/b.c:12 (discriminator 3)` or question marks.
  package static func read(_ text: String) -> [[Frame]] {
    var found: [[Frame]] = []
    var function: Substring?
    for line in text.split(separator: "\n") {
      if function == nil, line.hasPrefix("0x") {
        found.append([])
      } else if let name = function {
        function = nil
        if let frame = frame(name, line), !found.isEmpty { found[found.count - 1].append(frame) }
      } else {
        function = line
      }
    }
    return found
  }

  private static func frame(_ name: Substring, _ text: Substring) -> Frame? {
    let location = text.hasSuffix(")") ? text.prefix { $0 != "(" }.dropLast() : text
    guard let colon = location.lastIndex(of: ":"),
      let number = Int(location[location.index(after: colon)...]), number > 0,
      !location.hasPrefix("?")
    else { return nil }
    return Frame(
      function: name.hasPrefix("?") ? nil : String(name), file: String(location[..<colon]),
      line: number)
  }
}

/// Execution of a tool with captured output.
enum ChildOutput {
  /// Runs a tool and returns its standard output.
  ///
  /// - Throws: `Failure` (unavailable) if the tool cannot be executed or fails.
  static func text(of arguments: [String]) throws(Failure) -> String {
    var pipes: [Int32] = [0, 0]
    guard pipe(&pipes) == 0 else { throw failure(arguments[0], errno) }
    for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let strings = arguments.map { strdup($0) }
    defer { strings.forEach { free($0) } }
    var process: pid_t = 0
    let reason = posix_spawn(&process, arguments[0], &actions, nil, strings + [nil], environ)
    close(pipes[1])
    defer { close(pipes[0]) }
    guard reason == 0 else { throw failure(arguments[0], reason) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(pipes[0], &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += buffer[..<count]
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      throw Failure(.unavailable, "\(arguments[0]) failed with status \(status >> 8 & 0xFF)")
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func failure(_ program: String, _ reason: Int32) -> Failure {
    Failure(.unavailable, "\(program): \(String(cString: strerror(reason)))")
  }
}
