import createValidatorFactory from '@fastify/ajv-compiler'
import createSerializerFactory from '@fastify/fast-json-stringify-compiler'

const [validatorOf, serializerOf] = [createValidatorFactory(), createSerializerFactory()]

/** JSON has types, so bodies are taken as they are; query, path and header values are text and are converted. */
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

/** Header names are lower-case in requests, whatever their case in the contract. */
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
 * The framework's own compilers, except that types in JSON bodies are not converted, and that a schema is compiled when a request
 * first needs it: there are hundreds, mostly of refusals, and compiling them all would take most of the start-up time.
 */
export const compileWhenNeeded = { buildValidator, buildSerializer }
