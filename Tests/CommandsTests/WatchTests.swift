import Foundation
import TestSupport
import Testing

/// `aneroid watch` in a real terminal (tmux), and `aneroid recording`.
@Suite(.serialized)
struct WatchTests {
  /// A terminal in tmux with a shell.
  final class Terminal {
    let socket = "aneroid-\(UUID().uuidString)"
    let home: String

    init(columns: Int = 100, rows: Int = 30) throws {
      home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
      try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
      try tmux(
        "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
        "env HOME=\(home) XDG_CONFIG_HOME= XDG_STATE_HOME= PS1='$ ' LC_ALL=C.UTF-8 sh")
      try type("unset XDG_CONFIG_HOME XDG_STATE_HOME; cd \(Fixtures.root.path)")
    }

    deinit {
      _ = try? tmux("kill-server")
      try? FileManager.default.removeItem(atPath: home)
    }

    /// Runs a tmux command.
    ///
    /// The tmux server would inherit the descriptors by which Foundation waits for a program, and
    /// the blocked signals of a test, so it would never end. Python closes these descriptors and
    /// unblocks the signals.
    @discardableResult
    func tmux(_ arguments: String...) throws -> String {
      let run = """
        import signal, subprocess, sys
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        sys.exit(subprocess.call(sys.argv[1:]))
        """
      return try CommandLineTool.run(
        URL(filePath: "/usr/bin/python3"),
        ["-c", run, "/usr/bin/tmux", "-u", "-L", socket] + arguments
      ).output
    }

    func type(_ line: String) throws {
      try tmux("send-keys", "-l", line)
      try tmux("send-keys", "Enter")
    }

    /// Returns the contents of the terminal once it contains a text, or after two minutes.
    func screen(with text: String) throws -> String {
      var shown = ""
      for _ in 0..<600 {
        shown = try tmux("capture-pane", "-p")
        if shown.contains(text) { return shown }
        usleep(200_000)
      }
      return shown
    }
  }

  static func watch(_ options: String) -> String {
    "\(CommandLineTool.path.path) watch rigs/iss-leak.yaml \(options); echo ended $?"
  }

  @Test("a leak is displayed as it happens, keys work, and the terminal is restored")
  func lives() throws {
    let terminal = try Terminal()
    try terminal.type("echo before; " + Self.watch("--speed 120"))
    // From minute 25 on the leak lasts, so that the screen remains the same on a loaded machine.
    let leak = try terminal.screen(with: "runs out")
    for word in ["LEAK", "T1mm", "mmHg/min", "runs out", "q quit"] {
      #expect(leak.contains(word), "\(word):\n\(leak)")
    }
    try terminal.tmux("send-keys", "u")
    #expect(try terminal.screen(with: "inHg/min").contains("inHg/min"))
    try terminal.tmux("send-keys", "q")
    let after = try terminal.screen(with: "ended 0")
    #expect(after.contains("ended 0") && after.contains("before") && !after.contains("T1mm"))
    // The settings are saved.
    try terminal.type(Self.watch("--speed 10"))
    #expect(try terminal.screen(with: "inHg").contains("inHg"))
    try terminal.tmux("send-keys", "q")
    _ = try terminal.screen(with: "ended 0")
  }

  @Test("the screen follows a change of size; a terminal that is too small is reported")
  func resizes() throws {
    let terminal = try Terminal()
    try terminal.type(Self.watch("--speed 10"))
    #expect(try terminal.screen(with: "initial").contains("initial"))
    try terminal.tmux("resize-window", "-x", "38", "-y", "12")
    #expect(try terminal.screen(with: "40x12").contains("40x12 needed"))
    try terminal.tmux("resize-window", "-x", "40", "-y", "12")
    #expect(try terminal.screen(with: "mmHg").contains("mmHg"))
    try terminal.tmux("send-keys", "q")
  }

  @Test(
    "at each terminal size, the reserve time, its explanation and the help are on the screen",
    arguments: [(80, 24), (120, 40), (60, 20), (40, 12)])
  func sizes(_ columns: Int, _ rows: Int) throws {
    let terminal = try Terminal(columns: columns, rows: rows)
    try terminal.type("clear; " + Self.watch("--speed 120"))
    let leak = try terminal.screen(with: "runs out")
    // If there is no room for the rate, the help explains it.
    let meaning = (60..<100).contains(columns) ? "s to fall by 1 mmHg, -" : "T1mm "
    for word in ["RESERVE at least", meaning, "mmHg/min", "time 0:", "q quit", "? help"] {
      #expect(leak.contains(word), "\(word):\n\(leak)")
    }
    #expect(leak.contains("┤") == (rows > 12), "\(leak)")
    try terminal.tmux("send-keys", "?")
    #expect(try terminal.screen(with: "T1mm:").contains("T1mm: the time in which"))
    try terminal.tmux("send-keys", "Escape")
    #expect(try terminal.screen(with: "LEAK").contains("? help"))
    try terminal.tmux("send-keys", "q")
    try terminal.type(
      "clear; \(CommandLineTool.path.path) watch weather-station --speed 1200; echo ended $?")
    let weather = try terminal.screen(with: "in 3 h: ")
    #expect(weather.contains("2013-01-0") && weather.contains("? help"), "\(weather)")
    #expect(!weather.contains("LEAK") && !weather.contains("RESERVE") && !weather.contains("hatch"))
    #expect(weather.contains(/3 h,.* UTC/) == (rows > 12), "\(weather)")
    try terminal.tmux("send-keys", "q")
  }

  @Test("SIGTERM restores the terminal, and a killed watch loses no recorded row")
  func ends() throws {
    let terminal = try Terminal()
    let command = "\(CommandLineTool.path.path) watch rigs/iss-leak.yaml --speed 30 --record"
    try terminal.type("sh -c 'echo $$ > \(terminal.home)/pid; exec \(command)'; echo ended $?")
    #expect(try terminal.screen(with: "recorded 5").contains("recorded"))
    let path = "\(terminal.home)/.local/state/aneroid/recording"
    let id = try String(contentsOfFile: "\(terminal.home)/pid", encoding: .utf8)
    let process = try #require(Int32(id.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, SIGTERM) == 0)
    #expect(try terminal.screen(with: "ended 0").contains("ended 0"))
    let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count - 1
    #expect(rows >= 5)
    // The recording continues, and is exported, verified and removed.
    try terminal.type("clear; " + Self.watch("--speed 30 --record"))
    #expect(try terminal.screen(with: "recorded").contains("recorded"))
    try terminal.tmux("send-keys", "q")
    _ = try terminal.screen(with: "ended 0")
    let tool = CommandLineTool.path.path
    let table = "\(terminal.home)/cabin.csv"
    try terminal.type(
      "clear; \(tool) recording export --end \(table) && \(tool) recording verify \(table); \(tool) recording show; echo done $?"
    )
    let shown = try terminal.screen(with: "done")
    #expect(shown.contains("ok, ") && shown.contains("done 66"), "\(shown)")
    #expect(
      try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n").count - 2 > rows)
  }

  @Test("the bus may be named by --bus, and --trace records every transfer of the watch")
  func busAndTrace() throws {
    let terminal = try Terminal()
    let tool = CommandLineTool.path.path
    let trace = "\(terminal.home)/watch.i2ctrace"
    try terminal.type(
      "\(tool) watch --bus weather-station --trace \(trace) --speed 10; echo ended $?")
    #expect(try terminal.screen(with: "n 5").contains("weather-station"))
    try terminal.tmux("send-keys", "q")
    #expect(try terminal.screen(with: "ended 0").contains("ended 0"))
    let shown = try CommandLineTool.run("trace", "show", trace)
    #expect(shown.status == 0 && shown.output.contains("0x76"), "\(shown.output) \(shown.errors)")
    // A trace can be used as a bus.
    try terminal.type("clear; \(tool) watch --bus trace:\(trace); echo ended $?")
    #expect(try terminal.screen(with: "initial").contains("hPa"))
    try terminal.tmux("send-keys", "q")
    #expect(try CommandLineTool.run("watch", "thesis", "--bus", "thesis").status == 64)
    #expect(try CommandLineTool.run("watch").status == 64)
    #expect(try CommandLineTool.run("watch", "thesis", "--altitude", "1609").status == 64)
  }

  @Test("a mark is recorded with the time of the key press, even just before 'q'")
  func marks() throws {
    let terminal = try Terminal()
    let path = "\(terminal.home)/.local/state/aneroid/recording"
    try terminal.type("clear; " + Self.watch("--speed 30 --record"))
    #expect(try terminal.screen(with: "recorded").contains("recorded"))
    // One measurement every ten seconds; marks between them are recorded at once.
    for _ in 0..<3 { try terminal.tmux("send-keys", "r") }
    try terminal.tmux("send-keys", "p")
    #expect(try terminal.screen(with: "PAUSED").contains("PAUSED"))
    usleep(500_000)
    try terminal.tmux("send-keys", "m")
    usleep(300_000)
    for word in ["leak", "Space", "heard", "Enter"] { try terminal.tmux("send-keys", word) }
    usleep(300_000)
    try terminal.tmux("send-keys", "x")
    #expect(try terminal.screen(with: "stop measuring?").contains("y yes"))
    try terminal.tmux("send-keys", "y")
    #expect(try terminal.screen(with: "STOPPED").contains("STOPPED"))
    try terminal.tmux("send-keys", "q")
    #expect(try terminal.screen(with: "ended 0").contains("ended 0"))
    let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let marks = rows.suffix(4)
    #expect(
      marks.map { $0[4] } == ["pause", "mark 1", "mark 1: leak heard", "stop"], "\(rows.suffix(5))")
    #expect(marks.allSatisfy { $0[1].isEmpty && $0[2].isEmpty && $0[3].isEmpty })
    #expect(Set(marks.map { $0[0] }).count == 4, "each at its own time: \(marks)")
    let table = "\(terminal.home)/marks.csv"
    try terminal.type(
      "clear; \(CommandLineTool.path.path) recording export --end \(table); echo done $?")
    #expect(try terminal.screen(with: "done 0").contains("done 0"))
    #expect(try String(contentsOfFile: table, encoding: .utf8).contains(/\n[^\n]*,,,,,,stop\n$/))
  }

  @Test("without a terminal, a message names the alternatives")
  func noTerminal() throws {
    let result = try CommandLineTool.run("watch", "rigs/iss-leak.yaml")
    #expect(result.status == 69 && result.errors.contains("aneroid read"))
    #expect(try CommandLineTool.run("watch", "/no/such.yaml").status == 66)
    #expect(try CommandLineTool.run("watch", "rigs/iss-leak.yaml", "--speed", "0").status == 64)
    #expect(try CommandLineTool.run("recording", "verify", "README.md").status == 65)
  }
}
