/* The interface of the test images to their board: registers by address, a console, the sensor's bus. */
#include <stddef.h>
#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))
#define SCB_CPACR REG(0xE000ED88)

void exit_with(int status);
/* The console; a line ends with \r\n as on a terminal. */
void console_start(void);
void console_put(char c);
/* The bus; returns 0 if every byte was acknowledged. */
void bus_start(void);
int bus_write(uint8_t address, const uint8_t *bytes, unsigned count);
int bus_read(uint8_t address, uint8_t reg, uint8_t *bytes, unsigned count);
/* Sleeps for a number of milliseconds. */
void rest(uint32_t milliseconds);

void print(const char *text);
void print_number(int32_t value, unsigned decimals);
