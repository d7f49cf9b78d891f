import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Limits the duration of a request, and closes a connection after the response that ends it (`ConnectionEnd`).
///
/// The limit applies to a whole head and to a whole body; receiving single bytes does not restart
/// it.
final class ConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The timeouts: for a head, measured from the start of the connection; for a body, measured from
  /// the end of its head; and for an idle connection, measured from the end of a response to the
  /// end of the next head.
  struct Times {
    var head = TimeAmount.seconds(20)
    var body = TimeAmount.seconds(20)
    var idle = TimeAmount.seconds(75)
  }

  private let times: Times
  private let readsBodies: Bool
  private var deadline: Scheduled<Void>?
  /// The number of requests that were read but not completely answered.
  private var underWay = 0

  /// Creates the limits of a connection.
  ///
  /// - Parameters:
  ///   - times: the timeouts.
  ///   - readsBodies: `false` if the bodies of requests are not read.
  init(_ times: Times = Times(), readsBodies: Bool) {
    (self.times, self.readsBodies) = (times, readsBodies)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // The HTTP version is known only before the codec.
    let operations = context.pipeline.syncOperations
    if let decoder = try? operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) {
      try? operations.addHandler(
        ConnectionEnd(readsBodies: readsBodies), position: .after(decoder))
    }
    if context.channel.isActive { close(context, in: times.head) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelActive(context: ChannelHandlerContext) {
    close(context, in: times.head)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      underWay += 1
      close(context, in: times.body)
    case .body: break
    // The time for producing a response is not limited.
    case .end: deadline?.cancel()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else {
      return context.write(data, promise: promise)
    }
    // A client may read slowly, so the idle time starts when the client has the whole response.
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in
      let (limits, context) = box.value
      limits.underWay -= 1
      if limits.underWay <= 0, context.channel.isActive {
        limits.close(context, in: limits.times.idle)
      }
    }
    context.write(data, promise: written)
  }

  private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}

/// Adds `Connection: close` to requests after which a connection ends.
///
/// These are requests of HTTP/1.0, whose clients take the end of the connection as the end of the response (RFC 9112,
/// section 9.3), requests that contain this field in upper or lower case, and requests with a body that is not read.
private final class ConnectionEnd: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  private let readsBodies: Bool

  init(readsBodies: Bool) { self.readsBodies = readsBodies }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data) else {
      return context.fireChannelRead(data)
    }
    let words = head.headers[canonicalForm: "connection"].map { $0.lowercased() }
    let hasBody =
      head.headers.contains(name: "transfer-encoding")
      || head.headers["content-length"].contains { $0 != "0" }
    if (head.version.major, head.version.minor) < (1, 1) || words.contains("close")
      || hasBody && !readsBodies
    {
      head.headers.replaceOrAdd(name: "connection", value: "close")
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}
