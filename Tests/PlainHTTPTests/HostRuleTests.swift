import Foundation
import PlainHTTP
import TestSupport
import Testing

/// The Host check, tested with the table that also tests the station and the hub.
struct HostRuleTests {
  /// The Host headers, one for each request, grouped by the expected result.
  private struct Cases: Decodable {
    let own: [[String]]
    let stranger: [[String]]
    let several: [[String]]
  }

  @Test("each Host header in hosts.json is judged as listed: own, foreign or several")
  func table() throws {
    let text = try Fixtures.text("fixtures/requests/hosts.json")
    let cases = try JSONDecoder().decode(Cases.self, from: Data(text.utf8))
    #expect(cases.own.count >= 9 && cases.stranger.count >= 30 && cases.several.count >= 3)
    let rule = HostRule(host: "127.0.0.1", others: ["hub.example"])
    for hosts in cases.own { #expect(rule.judge(hosts) == .own, "\(hosts)") }
    for hosts in cases.stranger { #expect(rule.judge(hosts) == .foreign, "\(hosts)") }
    for hosts in cases.several { #expect(rule.judge(hosts) == .several, "\(hosts)") }
  }

  @Test(
    "a Host header with the listening address is accepted, including IPv6, with or without a port")
  func names() {
    let rule = HostRule(host: "fd00::5", others: ["Hub.Example:8090"])
    #expect(rule.judge(["[FD00::5]:8090"]) == .own && rule.judge(["hub.example"]) == .own)
    #expect(HostRule(host: "[fd00::5]").judge(["[fd00::5]"]) == .own)
    #expect(rule.judge(["fd00::5"]) == .foreign && rule.judge(["[fd00::6]"]) == .foreign)
    #expect(HostRule(host: "0.0.0.0").judge(["192.168.1.7"]) == .foreign)
  }
}
