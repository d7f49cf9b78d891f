// Reads the chip's id from eight goroutines, lists /dev and asks what the node is.
package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

type message struct {
	address, flags, length uint16
	buffer                 uintptr
}

type transfer struct {
	messages uintptr
	count    uint32
}

func read(file *os.File) byte {
	register, id := []byte{0xD0}, []byte{0}
	messages := []message{
		{0x76, 0, 1, uintptr(unsafe.Pointer(&register[0]))},
		{0x76, 1, 1, uintptr(unsafe.Pointer(&id[0]))},
	}
	request := transfer{uintptr(unsafe.Pointer(&messages[0])), 2}
	syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), 0x0707, uintptr(unsafe.Pointer(&request)))
	return id[0]
}

func main() {
	entries, _ := os.ReadDir("/dev")
	listed := 0
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "i2c-") {
			listed++
		}
	}
	status, err := os.Stat("/dev/i2c-1")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var group sync.WaitGroup
	var lock sync.Mutex
	right := 0
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for round := 0; round < 50; round++ {
				file, err := os.OpenFile("/dev/i2c-1", os.O_RDWR, 0)
				if err != nil {
					continue
				}
				if read(file) == 0x60 {
					lock.Lock()
					right++
					lock.Unlock()
				}
				file.Close()
			}
		}()
	}
	group.Wait()
	fmt.Println("listed:", listed, "device:", status.Mode()&os.ModeCharDevice != 0, "right:", right)
}
