/// Which call of those that concern time is served where.
extension Supervisor {
  func answerInTime(_ call: Call) -> Answer {
    switch call.system {
    case .clockGettime: tellTime(call)
    case .gettimeofday: tellTimeOfDay(call)
    case .time: tellSeconds(call)
    case .nanosleep: sleep(call)
    case .clockNanosleep: sleepOnClock(call)
    case .poll, .ppoll: waitForDescriptors(call)
    case .select, .pselect6: waitForSets(call)
    case .epollWait, .epollPwait, .epollPwait2: waitForEpoll(call)
    case .futex: waitForWord(call)
    case .clone, .clone3, .fork, .vfork: makeProcess(call)
    case .rtSigtimedwait: waitForSignal(call)
    case .setitimer: setTimer(call)
    case .getitimer: showTimer(call)
    case .alarm: alarm(call)
    case .timerCreate: createTimer(call)
    case .timerSettime: setPOSIXTimer(call)
    case .timerGettime: showPOSIXTimer(call)
    case .timerGetoverrun: overruns(call)
    case .timerDelete: deleteTimer(call)
    case .timerfdSettime: setTimerDescriptor(call)
    case .timerfdGettime: showTimerDescriptor(call)
    case .kill, .tkill, .tgkill, .rtSigqueueinfo, .rtTgsigqueueinfo, .pidfdSendSignal:
      sendSignal()
    case .semtimedop: waitForSemaphores(call)
    case .mqTimedsend, .mqTimedreceive: waitForQueue(call)
    case .setsockopt: limitSocket(call)
    case .futexWaitv: waitByMachine(.words)
    default: .pass
    }
  }
}
