import './layers.css'
import type { ComponentChildren } from 'preact'
import { Sheet, SheetHead } from '../../../ui/sheet/sheet.tsx'
import { useTexts } from '../../data/panel.ts'
import { DialogToasts } from './toast-list.tsx'

/**
 * The one layer above a part: at the right, from below on a phone. It keeps the focus and gives it back; Escape,
 * a press outside and Back close it when `useDrawer` keeps it in the address.
 */
export function Drawer(props: {
  title: string
  onClose: () => void
  /** Stays at the bottom: what can be done. */
  actions?: ComponentChildren
  isWide?: boolean
  children: ComponentChildren
}) {
  const { title, onClose, actions, isWide = false, children } = props
  const t = useTexts()
  return (
    <Sheet class={isWide ? 'drawer drawer-wide' : 'drawer'} label={title} onClose={onClose}>
      <SheetHead title={title} close={t.close} />
      <div class="drawer-body">{children}</div>
      {actions && <div class="drawer-actions">{actions}</div>}
      <DialogToasts />
    </Sheet>
  )
}
