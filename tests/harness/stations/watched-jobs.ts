import type { Ports } from '@solstice/adapters'
import type { Teardown } from '../processes/processes.ts'
import { startJobs } from './workers.ts'

/** A store each of whose calls comes after `before`; a promise that it returns is waited for. */
export function watchedStore<T extends object>(
  store: T,
  before: (method: string, given: unknown[]) => Promise<void> | void,
): T {
  return new Proxy(store, {
    get(target, method) {
      const value = target[method as keyof T]
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        const waiting = before(String(method), given)
        return waiting ? waiting.then(() => value.apply(target, given)) : value.apply(target, given)
      }
    },
  })
}

/** The real jobs on other stores, with an air that releases every track; they measure nothing. */
export async function startJobsOn(
  t: Teardown,
  ports: Ports,
  media: Ports['media'],
  collections: Partial<Ports['data']>,
): Promise<void> {
  const bus = { ...ports.bus, send: async () => ({ ok: true, removed: 0 }) } as unknown as Ports['bus']
  const jobs = { ...ports.jobs, add: async () => '' }
  await startJobs(t, { ...ports, bus, jobs, media, data: { ...ports.data, ...collections } })
}
