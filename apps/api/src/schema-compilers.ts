import createValidatorFactory from '@fastify/ajv-compiler'
import createSerializerFactory from '@fastify/fast-json-stringify-compiler'

const [validatorOf, serializerOf] = [createValidatorFactory(), createSerializerFactory()]

const buildValidator: typeof validatorOf = (externalSchemas, options) => {
  const compile = validatorOf(externalSchemas, options)
  return (route) => {
    const { schema, httpPart } = route as { schema: ObjectSchema; httpPart?: string }
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
 * The framework's own compilers, but each schema is compiled when a request first needs it: there are hundreds, most of
 * them of refusals, and to compile them all would take most of the time of a start.
 */
export const compileWhenNeeded = { buildValidator, buildSerializer }
