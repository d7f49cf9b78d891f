import ArgumentParser
import Foundation
import FoundationNetworking
import Glibc

/// Where the hub is that a command speaks to.
struct HubClient: ParsableArguments {
  @Option(help: ArgumentHelp("Where the hub is.", valueName: "url"))
  var hub = "http://127.0.0.1:8090"

  @Option(help: ArgumentHelp("The file of its token, for changes.", valueName: "file"))
  var tokenFile = "hub.token"

  /// What the hub says at a path, as JSON.
  func ask(_ path: String) async -> [String: Any] {
    let (status, body) = await send(URLRequest(url: address(path)))
    guard status == 200 else { Talk.fail("\(hub) answered \(status): \(Self.reason(body))", 69) }
    return body
  }

  /// Sends a command, and says what came of it.
  func command(_ command: [String: Any]) async {
    guard let data = FileManager.default.contents(atPath: tokenFile) else {
      Talk.fail(
        "cannot read the token \(tokenFile): \(String(cString: strerror(errno))); --token-file names it, "
          + "the hub's file says where it is", 66)
    }
    let token = String(decoding: data, as: UTF8.self).trimmingCharacters(
      in: .whitespacesAndNewlines)
    var request = URLRequest(url: address("/v1/command"))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    request.httpBody = try? JSONSerialization.data(withJSONObject: command)
    let (status, body) = await send(request)
    guard status == 200 else {
      Talk.fail("\(hub) refused: \(Self.reason(body))", status == 422 ? 1 : 69)
    }
    Talk.put("\(Self.reason(body))\n")
  }

  private func address(_ path: String) -> URL {
    guard let url = URL(string: hub + path), url.host != nil else {
      Talk.fail("--hub is an address such as http://127.0.0.1:8090, not '\(hub)'", 64)
    }
    return url
  }

  private func send(_ request: URLRequest) async -> (Int, [String: Any]) {
    do {
      let (data, response) = try await URLSession.shared.data(for: request)
      let body = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
      return ((response as? HTTPURLResponse)?.statusCode ?? 0, body ?? [:])
    } catch {
      Talk.fail(
        "no hub answers at \(hub): \(error.localizedDescription); start it with 'aneroid hub serve FILE'",
        69)
    }
  }

  private static func reason(_ body: [String: Any]) -> String {
    let error = body["error"] as? [String: Any]
    return body["message"] as? String ?? error?["message"] as? String ?? "it gave no reason"
  }
}
