/* The board of an STM32F411: 84 MHz by the PLL, USART2 on PA2, I2C1 on PB8 and PB9, TIM5 for rest(). */
#include "board.h"

#define RCC 0x40023800
#define GPIOA 0x40020000
#define GPIOB 0x40020400
#define USART2 0x40004400
#define I2C1 0x40005400
#define TIM5 0x40000C00

enum { SB = 1, ADDR = 2, BTF = 4, RXNE = 64, TXE = 128, AF = 1024 };
enum { START = 1 << 8, STOP = 1 << 9, ACK = 1 << 10, POS = 1 << 11 };

static void clocks_start(void) {
  static uint8_t done;
  if (done) return;
  done = 1;
  REG(RCC + 0x40) |= 1 << 28 | 1 << 21 | 1 << 17 | 1 << 3; /* PWR, I2C1, USART2, TIM5 */
  REG(RCC + 0x30) |= 3;
  REG(0x40007000) = 2 << 14;
  REG(0x40023C00) = 0x702; /* caches, prefetch, 2 wait states */
  REG(RCC + 0x04) = 16 | 336 << 6 | 1 << 16 | 7 << 24; /* HSI / 16 * 336 / 4 */
  REG(RCC) |= 1 << 24;
  while (!(REG(RCC) & 1 << 25)) {
  }
  while (!(REG(0x40007004) & 1 << 14)) {
  }
  REG(RCC + 0x08) = 4 << 10 | 2; /* APB1 at half, the PLL */
  while ((REG(RCC + 0x08) & 12) != 8) {
  }
}

void console_start(void) {
  clocks_start();
  REG(GPIOA) = (REG(GPIOA) & ~0x30u) | 0x20;
  REG(GPIOA + 0x20) = (REG(GPIOA + 0x20) & ~0xF00u) | 0x700;
  REG(USART2 + 0x08) = 42000000 / 115200;
  REG(USART2 + 0x0C) = 1 << 13 | 1 << 3 | 1 << 2;
}

void console_put(char c) {
  while (!(REG(USART2) & TXE)) {
  }
  REG(USART2 + 0x04) = (uint8_t)c;
}

void bus_start(void) {
  clocks_start();
  REG(GPIOB) = (REG(GPIOB) & ~0xF0000u) | 0xA0000;
  REG(GPIOB + 0x04) |= 0x300;
  REG(GPIOB + 0x24) = 0x44;
  REG(I2C1) = 1 << 15;
  REG(I2C1) = 0;
  REG(I2C1 + 0x04) = 42;
  REG(I2C1 + 0x1C) = 1 << 15 | 35; /* 400 kHz */
  REG(I2C1 + 0x20) = 13;
  REG(I2C1) = 1;
}

/* Waits for a flag; returns 0 when it is set, 1 on a NACK or after a timeout. */
static int await(uint32_t flag) {
  for (int tries = 0; tries < 100000; tries++) {
    uint32_t status = REG(I2C1 + 0x14);
    if (status & flag) return 0;
    if (status & (AF | 1 << 8 | 1 << 9)) break;
  }
  REG(I2C1 + 0x14) = 0;
  REG(I2C1) |= STOP;
  while (REG(I2C1 + 0x18) & 2) {
  }
  return 1;
}

static int address(uint8_t byte) {
  REG(I2C1) |= START;
  if (await(SB)) return 1;
  REG(I2C1 + 0x10) = byte;
  return await(ADDR);
}

static int send(uint8_t to, const uint8_t *bytes, unsigned count) {
  if (address((uint8_t)(to << 1))) return 1;
  (void)REG(I2C1 + 0x18);
  for (unsigned i = 0; i < count; i++) {
    if (await(TXE)) return 1;
    REG(I2C1 + 0x10) = bytes[i];
  }
  return count ? await(BTF) : 0;
}

static void stop(void) {
  REG(I2C1) |= STOP;
}

static void await_free(void) {
  while (REG(I2C1 + 0x18) & 2) {
  }
  REG(I2C1) &= ~(uint32_t)(POS | ACK);
}

int bus_write(uint8_t to, const uint8_t *bytes, unsigned count) {
  if (send(to, bytes, count)) return 1;
  stop();
  await_free();
  return 0;
}

/* RM0383: one, two, and more bytes are each received by a different sequence. */
int bus_read(uint8_t from, uint8_t reg, uint8_t *bytes, unsigned count) {
  if (send(from, &reg, 1)) return 1;
  REG(I2C1) |= ACK;
  if (count == 2) REG(I2C1) |= POS;
  if (address((uint8_t)(from << 1 | 1))) return 1;
  if (count == 1) {
    REG(I2C1) &= ~(uint32_t)ACK;
    (void)REG(I2C1 + 0x18);
    stop();
    if (await(RXNE)) return 1;
    bytes[0] = (uint8_t)REG(I2C1 + 0x10);
  } else if (count == 2) {
    (void)REG(I2C1 + 0x18);
    REG(I2C1) &= ~(uint32_t)ACK;
    if (await(BTF)) return 1;
    stop();
    bytes[0] = (uint8_t)REG(I2C1 + 0x10);
    bytes[1] = (uint8_t)REG(I2C1 + 0x10);
  } else {
    (void)REG(I2C1 + 0x18);
    unsigned i = 0;
    for (; i + 3 < count; i++) {
      if (await(RXNE)) return 1;
      bytes[i] = (uint8_t)REG(I2C1 + 0x10);
    }
    if (await(BTF)) return 1;
    REG(I2C1) &= ~(uint32_t)ACK;
    bytes[i++] = (uint8_t)REG(I2C1 + 0x10);
    if (await(BTF)) return 1;
    stop();
    bytes[i++] = (uint8_t)REG(I2C1 + 0x10);
    bytes[i] = (uint8_t)REG(I2C1 + 0x10);
  }
  await_free();
  return 0;
}

void rest(uint32_t milliseconds) {
  clocks_start();
  REG(TIM5 + 0x0C) = 0;
  REG(TIM5 + 0x28) = 42000 - 1; /* the timer runs at 84 MHz: half milliseconds */
  REG(TIM5 + 0x2C) = milliseconds * 2;
  REG(TIM5 + 0x14) = 1;
  REG(TIM5 + 0x10) = 0;
  REG(TIM5 + 0x0C) = 1;
  REG(0xE000E104) = 1 << 18; /* IRQ 50 */
  __asm__ volatile("cpsid i");
  REG(TIM5) = 1;
  while (!(REG(TIM5 + 0x10) & 1)) __asm__ volatile("wfi");
  REG(TIM5) = 0;
  REG(TIM5 + 0x10) = 0;
  REG(0xE000E284) = 1 << 18;
  __asm__ volatile("cpsie i");
}
