package org.eclipse.paho.mqttv5.common;

/** What the consumer takes of the real one. */
public class MqttException extends Exception {}
