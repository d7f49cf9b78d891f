import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Puts ``ConnectionEnd`` where a request's version is still known: before its head becomes that of any version.
final class ConnectionEndPlacer: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  func handlerAdded(context: ChannelHandlerContext) {
    let pipeline = context.pipeline.syncOperations
    do {
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(ConnectionEnd(), position: .before(codec))
    } catch {
      context.fireErrorCaught(error)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.fireChannelRead(data) }
}

/// Marks a request as its connection's last where HTTP/1.0 says so, where the client says so in any case, and where a body
/// comes that nobody reads.
final class ConnectionEnd: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      context.fireChannelRead(data)
      return
    }
    let words = head.headers[canonicalForm: "connection"].map { $0.lowercased() }
    let hasBody =
      head.headers.contains(name: "transfer-encoding")
      || head.headers["content-length"].contains { $0 != "0" }
    if (head.version.major, head.version.minor) < (1, 1) || words.contains("close") || hasBody {
      head.headers.replaceOrAdd(name: "connection", value: "close")
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
