/* Writes a counter to ctrl_hum while a timer interrupts every 100 us; argument: how many times. */
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

static volatile int alarms;

static void ring(int signal) {
  (void)signal;
  alarms++;
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 1000, failed = 0;
  int bus = open("/dev/i2c-1", O_RDWR);
  ioctl(bus, I2C_SLAVE, 0x76);
  struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &timer, NULL);
  for (int i = 0; i < rounds; i++) {
    uint8_t bytes[] = {0xF2, i & 7};
    if (write(bus, bytes, sizeof bytes) != sizeof bytes) failed++;
  }
  setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
  printf("failed: %d, interrupted: %s\n", failed, alarms > 10 ? "often" : "hardly");
  return failed != 0;
}
