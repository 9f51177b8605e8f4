package org.eclipse.paho.mqttv5.client;

/** What the consumer takes of the real one. */
public interface IMqttToken {}
