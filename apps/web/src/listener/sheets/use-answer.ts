import { useEffect, useState } from 'preact/hooks'

export type Answer<T> = { is: 'loading' } | { is: 'failed'; error: unknown } | { is: 'there'; value: T }

/** What the station answers to a question, asked again when `key` changes or with `again`. */
export function useAnswer<T>(key: string, ask: () => Promise<T>): [answer: Answer<T>, again: () => void] {
  const [answer, setAnswer] = useState<Answer<T>>({ is: 'loading' })
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isCurrent = true
    setAnswer({ is: 'loading' })
    ask().then(
      (value) => isCurrent && setAnswer({ is: 'there', value }),
      (error: unknown) => isCurrent && setAnswer({ is: 'failed', error }),
    )
    return () => {
      isCurrent = false
    }
  }, [key, tries])
  return [answer, () => setTries(tries + 1)]
}
