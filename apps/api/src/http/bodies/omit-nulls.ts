import type { TSchema } from 'typebox'

interface ObjectShape {
  properties?: Record<string, TSchema>
}

/**
 * A body without the nulls that its shape does not allow. Clients send null, or no body at all, for fields that they leave
 * out; validation then names a required one as missing.
 */
export function omitNulls(sent: unknown, shape: ObjectShape): unknown {
  const { properties } = shape
  if (!isObject(sent) || !properties) return sent
  const entries = Object.entries(sent).flatMap(([name, value]) => {
    const inner = Object.hasOwn(properties, name) ? properties[name]! : {}
    return value === null && !allowsNull(inner) ? [] : [[name, omitNulls(value, inner)]]
  })
  return Object.fromEntries(entries)
}

function allowsNull(shape: TSchema): boolean {
  const { type, anyOf = [] } = shape as { type?: string; anyOf?: TSchema[] }
  return type === 'null' || anyOf.some(allowsNull)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
