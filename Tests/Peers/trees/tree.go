// Goroutines and processes that wait for each other, one way a run: tree WAY.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func output(script string) string {
	text, err := exec.Command("sh", "-c", script).Output()
	if err != nil {
		return err.Error()
	}
	return string(text[:len(text)-1])
}

func child() string {
	text := output("sleep 2; echo hi")
	for i := 0; i < 7; i++ {
		text += output("sleep 2; echo hi")
	}
	return text
}

func limited() string {
	text := ""
	for i := 0; i < 4; i++ {
		limit, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		err := exec.CommandContext(limit, "sleep", fmt.Sprint(1+i%2*9)).Run()
		cancel()
		text += fmt.Sprint(err, " ")
	}
	return text
}

func pool() string {
	var group sync.WaitGroup
	texts := make([]string, 4)
	for i := range texts {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			texts[i] = output(fmt.Sprintf("sleep %d; echo %d", i+1, i+1))
		}(i)
	}
	group.Wait()
	return fmt.Sprint(texts)
}

func pipe() string {
	read, write := io.Pipe()
	go func() {
		for i := 0; i < 4; i++ {
			time.Sleep(time.Second)
			fmt.Fprint(write, i)
		}
		write.Close()
	}()
	text, _ := io.ReadAll(read)
	return string(text)
}

func timer() string {
	ticker, end := time.NewTicker(time.Second), time.After(4500*time.Millisecond)
	for count := 0; ; {
		select {
		case <-ticker.C:
			count++
		case <-end:
			return fmt.Sprint(count)
		}
	}
}

func signals() string {
	seen := make(chan os.Signal, 1)
	signal.Notify(seen, syscall.SIGUSR1)
	command := exec.Command("sh", "-c", fmt.Sprintf("sleep 4; kill -USR1 %d", os.Getpid()))
	command.Start()
	text := fmt.Sprint(<-seen)
	return fmt.Sprint(text, " ", command.Wait())
}

func main() {
	ways := map[string]func() string{
		"child": child, "limited": limited, "pool": pool, "pipe": pipe, "timer": timer,
		"signal": signals,
	}
	start := time.Now()
	text := ways[os.Args[1]]()
	fmt.Printf("%s %.1f s\n", text, time.Since(start).Seconds())
}
