import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { remPx } from '../ui/rem.ts'

const STEP_REM = 1.25

/** An element and its width in rem, in steps so that a column does not come and go with every pixel. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(62.5)
  useLayoutEffect(() => {
    const own = box.current
    if (!own) return
    const look = () => setWidth(Math.floor(own.clientWidth / remPx() / STEP_REM) * STEP_REM)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(own)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}
