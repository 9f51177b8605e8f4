package com.fasterxml.jackson.databind;

/** What the consumer takes of the real one. */
public abstract class JsonNode {
    public abstract JsonNode get(String fieldName);

    public abstract JsonNode path(String fieldName);

    public abstract boolean isObject();

    public abstract boolean isTextual();

    public abstract boolean isIntegralNumber();

    public abstract boolean canConvertToLong();

    public abstract long asLong();

    public abstract boolean asBoolean();

    public abstract String asText();
}
