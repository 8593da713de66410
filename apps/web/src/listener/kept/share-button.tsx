import { useState } from 'preact/hooks'
import { Icon } from '../../ui/icons.tsx'
import { share } from '../../ui/share.ts'
import { useRadio } from '../radio-context.ts'

/** Shares an address of the page, and says so when it was copied instead. */
export function ShareButton({ label, title, path }: { label: string; title: string; path: string }) {
  const { t } = useRadio()
  const [said, setSaid] = useState('')
  const press = async () => {
    const { href } = new URL(path, location.href)
    const outcome = await share(title, href)
    setSaid(outcome === 'copied' ? t.copied : outcome === 'failed' ? `${t.notCopied} ${href}` : '')
  }
  return (
    <>
      <button type="button" class="button share" onClick={press}>
        <Icon name="share" size={18} />
        {label}
      </button>
      <p class="nothing" role="status">
        {said}
      </p>
    </>
  )
}
