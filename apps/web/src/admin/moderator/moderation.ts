import { useEffect, useRef, useState } from 'preact/hooks'
import { localizedText } from '../../ui/language/localized-text.ts'
import { useAdmin, usePanel, useTexts } from '../data/panel.ts'
import type { QueryState } from '../data/queries.ts'
import { type ModeratorTexts, moderatorTexts } from './texts.ts'

export const useModeratorTexts = (): ModeratorTexts => moderatorTexts[useAdmin().locale]

/** Does something by the socket, and says how it went. Resolves with whether it was done. */
export function usePerform(): (command: Promise<object>, success?: string) => Promise<boolean> {
  const { toasts, locale } = usePanel()
  const { unreachable } = useTexts()
  return async (command, success) => {
    try {
      const answer = await command
      if ('error' in answer) {
        toasts.show({ is: 'failed', text: localizedText(answer.error, locale) })
        return false
      }
      if (success) toasts.show({ is: 'done', text: success })
      return true
    } catch {
      toasts.show({ is: 'failed', text: unreachable })
      return false
    }
  }
}

/** The acknowledgement of an event, asked for again when `key` changes, after each new connection, and by `retry`. */
export function useAnswer<A extends object, T = Exclude<A, { error: unknown }>>(
  ask: () => Promise<A>,
  key: unknown,
): QueryState<T> & { retry: () => void; set: (data: T) => void } {
  const { connection } = usePanel()
  const [state, setState] = useState<QueryState<T>>({ is: 'loading' })
  const asked = useRef(0)
  const set = (data: T) => {
    asked.current++
    setState({ is: 'ready', data, isStale: false })
  }
  const load = () => {
    const mine = ++asked.current
    const failed = (error: unknown) =>
      mine === asked.current &&
      setState((known) => (known.is === 'ready' ? { ...known, isStale: true } : { is: 'failed', error }))
    ask().then((answer) => {
      if (mine !== asked.current) return
      if ('error' in answer) failed(answer.error)
      else set(answer as unknown as T)
    }, failed)
  }
  const current = useRef(load)
  current.current = load
  useEffect(load, [key])
  useEffect(() => connection.on('admin_confirmed', () => current.current()), [connection])
  return { ...state, retry: load, set }
}
