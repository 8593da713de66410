import { useLayoutEffect } from 'preact/hooks'

/** While somebody is on the air the page is not left by mistake, and the screen does not fall asleep with it. */
export function useOnAirGuard(isLive: boolean): void {
  // At once when it is over: who leaves then is not asked.
  useLayoutEffect(() => {
    if (!isLive) return
    let lock: WakeLockSentinel | null = null
    let isOver = false
    const stayAwake = () => {
      if (document.visibilityState !== 'visible') return
      navigator.wakeLock?.request('screen').then(
        (granted) => {
          if (isOver) void granted.release()
          else lock = granted
        },
        () => {},
      )
    }
    const leaving = (event: Event) => event.preventDefault()
    stayAwake()
    // The browser takes it away with every look at another page.
    document.addEventListener('visibilitychange', stayAwake)
    addEventListener('beforeunload', leaving)
    return () => {
      isOver = true
      void lock?.release()
      document.removeEventListener('visibilitychange', stayAwake)
      removeEventListener('beforeunload', leaving)
    }
  }, [isLive])
}
