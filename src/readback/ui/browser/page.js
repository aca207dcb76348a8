// What the pages need from the browser itself: keys that press visible buttons, links without a reload,
// the way to the marked finding, and copying exact text. Served from our own origin; the policy allows no other script.
(() => {
  if (window.readbackPage) return;
  window.readbackPage = true;

  const typing = (node) =>
    node instanceof Element &&
    (node.isContentEditable || node.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [role=combobox], [role=listbox], [role=menu], [role=slider]") !== null);

  // Keys: the page says {"j": "next", …} in a data attribute; the value is the key of a button or a switch.
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target)) return;
    const said = document.querySelector("[data-rb-keys]");
    if (said === null) return;
    const name = JSON.parse(said.dataset.rbKeys)[event.key];
    const home = name && document.querySelector(`.st-key-${name}`);
    const thing = home && home.querySelector("button:not([disabled]), input:not([disabled])");
    if (!thing) return;
    event.preventDefault();
    thing.click();
  });

  // Inside exact text the arrow keys go from one stretch to the next, however many there are.
  document.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const text = step && event.target instanceof Element && event.target.closest(".rb-exact");
    if (!text) return;
    const stretches = [...text.querySelectorAll(".rb-s")];
    const next = stretches[stretches.indexOf(event.target) + step] ?? stretches[0];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });

  // Links of ours: change the address and let Streamlit read it, as for the browser's Back.
  const follow = (link) => {
    history.pushState({}, "", link.href);
    window.dispatchEvent(new PopStateEvent("popstate"));
  };
  document.addEventListener("click", (event) => {
    const copy = event.target instanceof Element && event.target.closest("[data-rb-copy]");
    if (copy) return void copyText(copy);
    const link = event.target instanceof Element && event.target.closest("a.rb-link");
    if (!link || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (new URL(link.href).origin !== location.origin) return;
    event.preventDefault();
    follow(link);
  });

  // The finding that the address asks for: into view once for each address.
  let seen = "";
  const look = () => {
    const mark = document.querySelector("mark.rb-here");
    if (mark === null || seen === location.href) return;
    seen = location.href;
    mark.scrollIntoView({ block: "center" });
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  look();

  // Copy: the text of the element named, with the characters that only a glyph stands for put back.
  const exactText = (node) => {
    const whole = node.cloneNode(true);
    for (const glyph of whole.querySelectorAll(".rb-glyph")) glyph.textContent = String.fromCharCode(parseInt(glyph.dataset.code, 16));
    return whole.textContent;
  };
  const copyText = async (button) => {
    const node = document.getElementById(button.dataset.rbCopy);
    try {
      await navigator.clipboard.writeText(exactText(node));
      button.textContent = button.dataset.rbDone;
    } catch {
      button.textContent = button.dataset.rbFailed;
    }
  };
})();
