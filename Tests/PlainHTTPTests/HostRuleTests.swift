import Foundation
import PlainHTTP
import TestSupport
import Testing

/// Whom a server answers: the table that is tried at the doors of the station and the hub too.
struct HostRuleTests {
  /// The fields of one request each, by how they are judged.
  private struct Cases: Decodable {
    let own: [[String]]
    let stranger: [[String]]
    let several: [[String]]
  }

  @Test("each case of the table is judged as it says")
  func table() throws {
    let text = try Fixtures.text("fixtures/requests/hosts.json")
    let cases = try JSONDecoder().decode(Cases.self, from: Data(text.utf8))
    #expect(cases.own.count >= 9 && cases.stranger.count >= 30 && cases.several.count >= 3)
    let rule = HostRule(host: "127.0.0.1", others: ["hub.example"])
    for hosts in cases.own { #expect(rule.judge(hosts) == .own, "\(hosts)") }
    for hosts in cases.stranger { #expect(rule.judge(hosts) == .stranger, "\(hosts)") }
    for hosts in cases.several { #expect(rule.judge(hosts) == .several, "\(hosts)") }
  }

  @Test("where a server listens is a name of it, also by IPv6, and a name may be given with a port")
  func names() {
    let rule = HostRule(host: "fd00::5", others: ["Hub.Example:8090"])
    #expect(rule.judge(["[FD00::5]:8090"]) == .own && rule.judge(["hub.example"]) == .own)
    #expect(HostRule(host: "[fd00::5]").judge(["[fd00::5]"]) == .own)
    #expect(rule.judge(["fd00::5"]) == .stranger && rule.judge(["[fd00::6]"]) == .stranger)
    #expect(HostRule(host: "0.0.0.0").judge(["192.168.1.7"]) == .stranger)
  }
}
