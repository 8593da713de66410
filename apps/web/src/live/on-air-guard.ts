import { useLayoutEffect } from 'preact/hooks'

/** While somebody is on air, leaving the page asks for confirmation and the screen stays awake. */
export function useOnAirGuard(isLive: boolean): void {
  // A layout effect, so that the guard is gone before a page change that follows going off air.
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
    const confirmLeaving = (event: Event) => event.preventDefault()
    stayAwake()
    // The browser releases the lock whenever the page is hidden.
    document.addEventListener('visibilitychange', stayAwake)
    addEventListener('beforeunload', confirmLeaving)
    return () => {
      isOver = true
      void lock?.release()
      document.removeEventListener('visibilitychange', stayAwake)
      removeEventListener('beforeunload', confirmLeaving)
    }
  }, [isLive])
}
