import Foundation
import Glibc
import TestSupport
import Testing

/// `aneroid recording`, also during `aneroid watch --record`.
struct RecordingCommandTests {
  /// Runs a script with a home folder that contains a recording of 36 rows.
  static func script(_ script: String) throws -> CommandLineTool.Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let setup = """
      tool=$0; python="python3 $PWD/Tests/Peers/on_terminal.py"; rigs=$PWD/rigs
      mkdir -p $1/.local/state/aneroid $1/.config; cd $1
      export HOME=$1; unset XDG_STATE_HOME XDG_CONFIG_HOME
      recording=.local/state/aneroid/recording
      python3 -c '
      import hashlib
      print("# aneroid recording of 0x76 on iss-leak")
      for i in range(36):
        row = f"2026-11-21T12:00:{i:02}Z,{101325 - i}.00,22.00,45.00,"
        print(row + "," + hashlib.sha256(row.encode()).hexdigest()[:8])' > $recording
      cp $recording before
      watching() {
        exec timeout -s TERM 100 $python $tool watch $rigs/iss-leak.yaml --speed 100 --record
      }
      soon() { for i in $(seq 900); do "$@" && break; sleep 0.1; done; }
      has_rows() { test $(wc -l < $recording) -gt $1; }
      watch_until_rows() { watching & watch=$!; soon has_rows $1; kill $watch; wait $watch; }
      \(script)
      """
    return try OutputCommandTests.shell(setup, folder)
  }

  @Test(
    "a damaged row is skipped, counted and reported; no other row is lost or removed")
  func damaged() throws {
    let result = try Self.script(
      """
      sed -i '4s/101323/101333/' $recording; cp $recording before
      $tool recording show; echo $?
      $tool recording export table.csv; echo $?
      $tool recording verify table.csv; grep -c 2026 table.csv; cmp before $recording && echo kept
      sed -i s/damaged=1/damaged=0/ table.csv.sha256; $tool recording verify table.csv; echo $?
      $tool recording discard; ls $recording
      """)
    let lines = result.outputLines
    #expect(lines[0].hasSuffix("35 rows") && lines[3] == "1", "\(result.output)")
    #expect(lines[4] == "table.csv: 35 rows of 0x76 on iss-leak" && lines[6] == "1")
    #expect(lines[5].hasPrefix("SHA-256 ") && lines[5].count == 72)
    #expect(
      lines[7].hasPrefix("table.csv: ok, 35 rows; 1 row damaged in the recording"), "\(lines[7])")
    #expect(lines[8] == "35" && lines[9] == "kept")
    #expect(lines[10].contains("table.csv.sha256 is damaged") && lines[11] == "1")
    #expect(lines[12] == "discarded 35 rows of 0x76 on iss-leak" && lines.count == 13)
    #expect(result.errors.contains("1 row damaged and skipped (line 4)"))
  }

  @Test("a watch continues after a damaged row and truncates nothing")
  func goesOn() throws {
    let result = try Self.script(
      """
      sed -i '4s/101323/101333/' $recording; cp $recording before
      watch_until_rows 40 > shown
      head -c $(wc -c < before) $recording | cmp - before && echo kept
      has_rows 40 && echo more
      """)
    #expect(result.output == "kept\nmore\n", "\(result.errors)")
  }

  @Test("while a recording runs, a second watch, an export and a discard are rejected")
  func held() throws {
    let result = try Self.script(
      """
      watching > shown & first=$!; soon has_rows 40
      $tool recording export table.csv; echo $?; $tool recording discard; echo $?
      watching > second & other=$!; soon grep -q 'in use by another program' second
      kill $other; grep -o 'in use by another program' second | head -1
      $tool recording show > /dev/null; echo $?
      kill $first; wait; ls table.csv; $tool recording export table.csv; echo $?; $tool recording verify table.csv
      sort table.csv | uniq -d
      """)
    let lines = result.outputLines
    #expect(
      lines.prefix(4) == ["69", "69", "in use by another program", "0"], "\(result.output)")
    #expect(lines.dropFirst(6).first == "0" && lines.last?.contains("ok, ") == true, "\(lines)")
  }

  @Test(
    "a recording with a truncated or missing first line is restarted",
    arguments: ["", "# aner", "# aneroid recording of 0x7"])
  func heals(_ torn: String) throws {
    let result = try Self.script(
      """
      printf '\(torn)' > $recording; $tool recording show; echo $?
      watch_until_rows 5 > shown
      head -1 $recording; $tool recording export table.csv; $tool recording verify table.csv
      """)
    let lines = result.outputLines
    #expect(lines[1] == "0" && lines[2] == "# aneroid recording of 0x76 on iss-leak", "\(lines)")
    #expect(lines.last?.hasPrefix("table.csv: ok, ") == true)
  }

  @Test(
    "the recording is kept if its table is exported to a pipe or if the table's file exists")
  func pipe() throws {
    let result = try Self.script(
      """
      $tool recording export /dev/stdout > table.csv; echo $?; $tool recording verify table.csv
      $tool recording export table.csv; echo $?; $tool recording export /dev/full; echo $?
      $tool recording show > /dev/full; echo $?; cmp before $recording && echo kept
      """)
    #expect(
      result.outputLines == [
        "0", "table.csv: cannot be verified: table.csv.sha256 is missing", "74", "74", "74", "kept",
      ],
      "\(result.output) \(result.errors)")
  }

  @Test(
    "an export with --go-on keeps the recording, and prints the table's name and SHA-256"
  )
  func goesOnAfterExport() throws {
    let result = try Self.script(
      """
      $tool recording export --go-on; echo $?
      sha256sum 0x76-on-iss-leak-20261121T120000Z.csv | sed 's/ .*//;s/^/SHA-256 /'
      cmp before $recording && echo kept
      $tool recording export --end again.csv > /dev/null; echo $?; ls $recording 2>&1 | grep -c 'No such'
      $tool recording export --end --go-on 2> /dev/null; echo $?
      """)
    let lines = result.outputLines
    #expect(
      lines.first == "0x76-on-iss-leak-20261121T120000Z.csv: 36 rows of 0x76 on iss-leak",
      "\(lines)")
    #expect(lines[1].hasPrefix("SHA-256 ") && lines[1] == lines[4], "\(lines)")
    #expect(lines[2].hasPrefix("the recording continues") && lines[3] == "0")
    #expect(lines.suffix(4) == ["kept", "0", "1", "64"], "\(lines)")
  }

  @Test("an empty or relative XDG_STATE_HOME is ignored")
  func environment() throws {
    let result = try Self.script(
      """
      for value in '' state; do XDG_STATE_HOME=$value $tool recording show | head -1; done
      mkdir -p elsewhere/aneroid; mv $recording elsewhere/aneroid
      XDG_STATE_HOME=$PWD/elsewhere $tool recording show | head -1
      """)
    #expect(result.outputLines.count == 3, "\(result.errors)")
    #expect(result.outputLines.allSatisfy { $0.hasSuffix("36 rows") })
  }

  @Test(
    "a watch continues if its settings cannot be saved, and a link to the settings is preserved")
  func settings() throws {
    let result = try Self.script(
      """
      rm -r .config; echo > .config
      cat > press.py <<'END'
      import os, pty, select, sys, time
      # Each key once the screen shows what the one before has changed: a loaded machine must not fail the test.
      shown, sent, keys = b"", 0, [(b"mmHg", b"u"), (b"inHg", b"q")]
      child, terminal = pty.fork()
      if child == 0: os.execv(sys.argv[1], sys.argv[1:])
      while True:
        if sent < len(keys) and keys[sent][0] in shown:
          time.sleep(0.3); os.write(terminal, keys[sent][1]); sent += 1; shown = b""
        if select.select([terminal], [], [], 0.1)[0]:
          try: chunk = os.read(terminal, 65536)
          except OSError: break
          if not chunk: break
          shown += chunk; sys.stdout.buffer.write(chunk)
      print("ended", sent, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      END
      python3 press.py $tool watch $rigs/iss-leak.yaml --record > shown
      grep -ao 'ended 2 0' shown; grep -ac 'watch.json: cannot be written' shown
      rm .config; mkdir -p .config/aneroid; echo '{}' > dots; ln -s ../../dots .config/aneroid/watch.json
      python3 press.py $tool watch $rigs/iss-leak.yaml > shown
      test -L .config/aneroid/watch.json && grep -c unit dots
      """)
    #expect(result.outputLines == ["ended 2 0", "1", "1"], "\(result.output) \(result.errors)")
  }
}
