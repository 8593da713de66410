import './layers.css'
import type { ComponentChildren } from 'preact'
import type { AccessRule, Denial } from '../../data/access.ts'
import { useAdmin, useDenial } from '../../data/panel.ts'

/** What only those who may use it can use: greyed with the reason for others, absent where the station doesn't have it. */
export function Guarded({ rule, children }: { rule: AccessRule; children: ComponentChildren }) {
  const { verdict } = useAdmin()
  const found = verdict(rule)
  if (found.is === 'hidden') return null
  if (found.is === 'open') return <>{children}</>
  return (
    <div class="guarded">
      <div inert class="guarded-content">
        {children}
      </div>
      <Denied right={found} />
    </div>
  )
}

/** Which right is missing, and who gives it. */
export function Denied({ right }: { right: Denial }) {
  return <p class="denied">{useDenial()(right)}</p>
}
