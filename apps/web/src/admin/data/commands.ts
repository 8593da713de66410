import { useState } from 'preact/hooks'
import { localizedText } from '../../ui/language/localized-text.ts'
import { call, failureText } from './client.ts'
import { usePanel } from './panel.ts'
import type { CallInput, ReplyOf, RouteKey } from './routes.ts'

export interface CommandOptions<T> {
  /** Said when it is done; without it the message of the answer is. '' = nothing is said. */
  success?: string | ((reply: T) => string)
  /** Answers that the command makes old, as the beginnings of their paths. */
  outdates?: readonly string[]
  action?: (reply: T) => { label: string; run: () => void }
}

/**
 * A route that changes something. `run` resolves with the answer, or with null after it said why it failed. While it runs,
 * `isBusy` is true and running it again does nothing.
 */
export function useCommand<K extends RouteKey>(
  key: K,
  options: CommandOptions<ReplyOf<K>> = {},
): { run: (input?: CallInput<K>) => Promise<ReplyOf<K> | null>; isBusy: boolean } {
  const { toasts, queries, locale } = usePanel()
  const [isBusy, setBusy] = useState(false)
  const run = async (input?: CallInput<K>) => {
    if (isBusy) return null
    setBusy(true)
    try {
      const reply = await call(key, input)
      if (options.outdates) queries.invalidate(...options.outdates)
      const { success } = options
      const said = typeof success === 'function' ? success(reply) : success
      const text = said ?? localizedText((reply as { message?: unknown }).message, locale)
      if (text) toasts.show({ is: 'done', text, ...(options.action && { action: options.action(reply) }) })
      return reply
    } catch (error) {
      toasts.show({ is: 'failed', text: failureText(error, locale) })
      return null
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy }
}
