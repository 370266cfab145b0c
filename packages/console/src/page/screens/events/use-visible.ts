import { useEffect, useState } from 'preact/hooks'

const isVisible = (): boolean => document.visibilityState === 'visible'

/** Whether the page is visible: a browser allows few connections, so hidden pages should hold none. */
export function useVisible(): boolean {
  const [shown, setShown] = useState(isVisible)
  useEffect(() => {
    const look = () => setShown(isVisible())
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return shown
}
