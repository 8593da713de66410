import { useEffect, useState } from 'preact/hooks'

/** This browser's clock, epoch ms; the component renders again at this interval, or never with null. */
export function useNow(everyMs: number | null): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    if (everyMs === null) return
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return nowMs
}
