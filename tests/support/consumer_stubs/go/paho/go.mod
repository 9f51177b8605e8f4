module github.com/eclipse/paho.golang

go 1.21
