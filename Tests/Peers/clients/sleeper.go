// Sleeps in two goroutines and tells how long that was by its own clock.
package main

import (
	"fmt"
	"time"
)

func main() {
	start := time.Now()
	done := make(chan bool)
	go func() {
		time.Sleep(90 * time.Second)
		done <- true
	}()
	time.Sleep(30 * time.Second)
	first := time.Since(start)
	<-done
	fmt.Println(first.Round(time.Second), time.Since(start).Round(time.Second))
}
