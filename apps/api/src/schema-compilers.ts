import createValidatorFactory from '@fastify/ajv-compiler'
import createSerializerFactory from '@fastify/fast-json-stringify-compiler'

const [validatorOf, serializerOf] = [createValidatorFactory(), createSerializerFactory()]

const buildValidator: typeof validatorOf = (externalSchemas, options) => {
  const compile = validatorOf(externalSchemas, options)
  return (route) => {
    let compiled: ReturnType<typeof compile> | undefined
    const validate: Pick<ReturnType<typeof compile>, 'errors'> & ((data: unknown) => unknown) = (data) => {
      compiled ??= compile(route)
      const result = compiled(data)
      validate.errors = compiled.errors
      return result
    }
    return validate as ReturnType<typeof compile>
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
