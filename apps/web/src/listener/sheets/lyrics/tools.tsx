import { useEffect, useState } from 'preact/hooks'
import { Icon, type IconName } from '../../../ui/icons.tsx'
import { useRadio } from '../../radio-context.ts'

/** The first one is the default. */
export const LINE_SIZES = ['m', 's', 'l', 'xl'] as const
const SIZES_IN_ORDER = ['s', 'm', 'l', 'xl'] as const
type LineSize = (typeof LINE_SIZES)[number]

/** How the listener likes the lyrics set. */
export interface Typography {
  size: LineSize
  setSize: (size: LineSize) => void
  align: 'start' | 'centre'
  setAlign: (align: 'start' | 'centre') => void
}

export function LyricsTools({ size, setSize, align, setAlign }: Typography) {
  const { t } = useRadio()
  const step = (by: number) => {
    const next = SIZES_IN_ORDER[SIZES_IN_ORDER.indexOf(size) + by]
    if (next) setSize(next)
  }
  return (
    <>
      <Tool icon="smaller" label={t.smaller} isOff={size === 's'} onPress={() => step(-1)} />
      <Tool icon="larger" label={t.larger} isOff={size === 'xl'} onPress={() => step(1)} />
      <Tool
        icon={align === 'start' ? 'centre' : 'start'}
        label={align === 'start' ? t.alignCentre : t.alignStart}
        onPress={() => setAlign(align === 'start' ? 'centre' : 'start')}
      />
    </>
  )
}

/** Shows an element in full screen; renders nothing where the browser doesn't allow that. */
export function FullScreenTool({ of }: { of: () => HTMLElement | null }) {
  const { t } = useRadio()
  const [isFull, setFull] = useState(false)
  useEffect(() => {
    const changed = () => setFull(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', changed)
    return () => document.removeEventListener('fullscreenchange', changed)
  }, [])
  if (!document.fullscreenEnabled) return null
  const toggle = () => {
    const change = isFull ? document.exitFullscreen() : of()?.requestFullscreen()
    change?.catch(() => {})
  }
  return (
    <Tool
      icon={isFull ? 'narrow' : 'widen'}
      label={isFull ? t.leaveFullScreen : t.fullScreen}
      onPress={toggle}
    />
  )
}

interface ToolProps {
  icon: IconName
  label: string
  isOff?: boolean
  /** Has the focus when the sheet opens. */
  isFirst?: boolean
  onPress: (event: Event) => void
}

export function Tool({ icon, label, isOff = false, isFirst = false, onPress }: ToolProps) {
  return (
    <button
      type="button"
      class="tool"
      title={label}
      autofocus={isFirst}
      aria-disabled={isOff}
      onClick={onPress}
    >
      <Icon name={icon} />
      <span class="unseen">{label}</span>
    </button>
  )
}
