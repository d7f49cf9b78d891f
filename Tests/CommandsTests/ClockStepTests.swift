import Foundation
import Glibc
import TestSupport
import Testing

/// Steps of the wall clock while `aneroid watch` records: displayed and recorded times use the
/// monotonic clock.
struct ClockStepTests {
  static let rig = """
    name: steps
    clock: real
    buses:
      - number: 1
        devices:
          - {address: 0x76, model: bme280, calibration: CALIBRATION}
    """.replacingOccurrences(
      of: "CALIBRATION", with: Fixtures.root.appending(path: "fixtures/calibrations/xft.yaml").path)

  @Test(
    "a step of the wall clock does not move rows of a recording",
    arguments: [3600, -3600, 10 * 365 * 86400, -10 * 365 * 86400])
  func recording(seconds: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let begin = time(nil)
    try CommandLineTool.withFile(Self.rig) { path in
      let script = """
        tool=$0; source=$PWD/Tests/Peers/wall_clock.c; python="python3 $PWD/Tests/Peers/on_terminal.py"
        mkdir -p $1 && cd $1 && clang -shared -fPIC -O1 -o wall.so $source -ldl || exit 1
        export HOME=$1; unset XDG_STATE_HOME XDG_CONFIG_HOME
        recording=.local/state/aneroid/recording; echo 0 > shift
        rows() { for i in $(seq 600); do test $(wc -l < $recording) -gt $1 && break; sleep 0.1; done; }
        LD_PRELOAD=$1/wall.so WALL_CLOCK_SHIFT=$1/shift \\
          timeout -s TERM 100 $python $tool watch \(path) --record > shown 2>&1 & watch=$!
        sleep 1; rows 2; echo \(seconds) > shift; rows 5; echo 0 > shift; rows 7
        kill $watch; wait $watch; cut -d, -f1 $recording | grep ^20
        """
      let result = try OutputCommandTests.shell(script, folder)
      let moments = result.outputLines.compactMap {
        try? Date($0, strategy: .iso8601).timeIntervalSince1970
      }
      #expect(moments.count >= 7, "\(result.output)\(result.errors)")
      for (one, next) in zip(moments, moments.dropFirst()) {
        #expect((0...30).contains(next - one), "\(result.output)")
      }
      // The recorded dates start with the date of the wall clock.
      #expect((0...120).contains((moments.first ?? 0) - Double(begin)), "\(result.output)")
    }
  }
}
