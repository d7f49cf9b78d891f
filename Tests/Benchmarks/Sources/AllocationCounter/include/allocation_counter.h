/* How often the process has asked for heap memory. */
unsigned long allocation_count(void);
