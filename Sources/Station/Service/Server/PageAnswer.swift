import Foundation
import StationPage

/// The page, with the policy that lets nothing run but its own script.
struct PageAnswer: Sendable {
  /// The page.
  let answer: Answer
  /// The script that keeps it for when there is no network.
  let worker: Answer

  init() {
    let page = WeatherPage.joined
    var answer = Answer(status: 200, type: "text/html; charset=utf-8", body: Array(page.html.utf8))
    let policy = page.contentSecurityPolicy { Data(SHA256.digest($0.utf8)).base64EncodedString() }
    answer.fields = [
      ("content-security-policy", policy), ("referrer-policy", "no-referrer"),
      ("permissions-policy", "geolocation=(self), camera=(), microphone=()"),
      ("x-frame-options", "DENY"), ("etag", answer.tag),
    ]
    answer.squeezed = Gzip.squeezed(answer.body)
    self.answer = answer
    var worker = Answer(
      status: 200, type: "text/javascript; charset=utf-8", body: Array(page.worker.utf8))
    worker.fields = [("etag", worker.tag)]
    self.worker = worker
  }
}

extension Answer {
  /// What changes when the body does: 64 bits of FNV-1a.
  var tag: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in body { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return "\"\(String(hash, radix: 16))\""
  }
}
