import createValidatorFactory from '@fastify/ajv-compiler'
import createSerializerFactory from '@fastify/fast-json-stringify-compiler'

const [validatorOf, serializerOf] = [createValidatorFactory(), createSerializerFactory()]

/** JSON has types of its own, so a body is taken as it is; what is in an address or a header is text and is converted. */
const ofBodies = { coerceTypes: false, strictNumbers: true }

const buildValidator: typeof validatorOf = (externalSchemas, options) => {
  const convert = validatorOf(externalSchemas, options)
  const check = validatorOf(externalSchemas, {
    ...options,
    customOptions: { ...options?.customOptions, ...ofBodies },
  } as typeof options)
  return (route) => {
    const { schema, httpPart } = route as { schema: ObjectSchema; httpPart?: string }
    const compile = httpPart === 'body' ? check : convert
    let compiled: ReturnType<typeof compile> | undefined
    const validate: Pick<ReturnType<typeof compile>, 'errors'> & ((data: unknown) => unknown) = (data) => {
      compiled ??= compile({ schema: httpPart === 'headers' ? inLowerCase(schema) : schema })
      const result = compiled(data)
      validate.errors = compiled.errors
      return result
    }
    return validate as ReturnType<typeof compile>
  }
}

interface ObjectSchema {
  properties?: Record<string, unknown>
  required?: string[]
}

/** Whatever the case in which the contract names headers, requests have their names in lower case. */
function inLowerCase({ properties = {}, required = [], ...schema }: ObjectSchema): ObjectSchema {
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).map(([name, of]) => [name.toLowerCase(), of])),
    required: required.map((name) => name.toLowerCase()),
  }
}

const buildSerializer: typeof serializerOf = (externalSchemas, options) => {
  const compile = serializerOf(externalSchemas, options)
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined
    return (reply) => {
      serialize ??= compile(route)
      return serialize(reply)
    }
  }
}

/**
 * The framework's own compilers, but types of JSON bodies are not converted, and each schema is compiled when a request first needs it: there are hundreds, most of
 * them of refusals, and to compile them all would take most of the time of a start.
 */
export const compileWhenNeeded = { buildValidator, buildSerializer }
