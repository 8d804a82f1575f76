package report

// style is the page's sheet. Fills are pale under dark ink by day and deep under light
// ink by night, so that what is written on them can be read in both.
const style = `
:root{--bg:#fff;--card:#f5f6f8;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--bad:#b3261e;--ask:#b35900;--mild:#7a5b00;
--good:#1a6e37;--calm:#0b5cad;
--r:#c8372d;--o:#d06a0a;--y:#a08200;--g:#737e8a;--b:#2f76c2;--w:#7f8b98;
--s0:#cfe3fa;--s1:#d3efd8;--s2:#fbe3bd;--s3:#e6d8f7;--s4:#f9d5dd;--s5:#cdeeee;--s6:#e9e7b8;--s7:#dde1e6}
@media (prefers-color-scheme:dark){:root{--bg:#0f1318;--card:#181d24;--ink:#e8ecf1;--soft:#a3adb8;--line:#343c46;
--bad:#ff9a92;--ask:#ffb877;--mild:#f0d06b;
--good:#7fd89a;--calm:#8cc2ff;--r:#d8564c;--o:#d07f33;--y:#bd9a2c;--g:#727d89;--b:#4a8ed4;--w:#667484;
--s0:#1d4672;--s1:#1f5230;--s2:#66430f;--s3:#4b3372;--s4:#6b2b3b;--s5:#17514f;--s6:#54511a;--s7:#3d4650}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1040px;margin:0 auto;padding:28px 20px 48px}h1{font-size:24px;margin:0;overflow-wrap:anywhere}
h2{font-size:17px;margin:0 0 10px}
.when{margin:2px 0 18px;color:var(--soft)}section{margin:0 0 28px}
.top{display:flex;gap:20px;align-items:center;flex-wrap:wrap}.top>div:last-child{flex:1 1 320px}
.top p{margin:4px 0}
.score{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 22px;text-align:center}
.score b{display:block;font-size:40px;line-height:1.1}.score span,.tiles span{color:var(--soft)}
.score.good b{color:var(--good)}.score.low b{color:var(--bad)}
.warn{color:var(--bad);font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:12px}
.tiles div{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 16px}
.tiles b{display:block;font-size:24px;line-height:1.2}
.tiles span,.tiles small{display:block}.tiles small{color:var(--soft);font-size:13px}ul{margin:0;padding-left:20px}
li{margin:4px 0;overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:5px 10px;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:600;white-space:nowrap}.t{text-align:left;overflow-wrap:anywhere}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
figure{margin:0 0 28px;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px}
figcaption{font-weight:600;margin-bottom:4px}
figure p{margin:0 0 8px;color:var(--soft);font-size:13px}
figure p i{display:inline-block;width:11px;height:11px;border-radius:3px;margin:0 5px 0 0}
figure p span{margin-right:16px;white-space:nowrap}svg{display:block;width:100%;min-width:640px;height:auto}
svg text{fill:var(--ink);font:12px system-ui,"DejaVu Sans",sans-serif}
svg .soft{fill:var(--soft)}svg .axis{stroke:var(--line)}svg .m{stroke:var(--r);stroke-width:2}
footer{color:var(--soft);font-size:13px;border-top:1px solid var(--line);padding-top:12px}
.r{fill:var(--r)}.o{fill:var(--o)}.y{fill:var(--y)}.g{fill:var(--g)}.b{fill:var(--b)}.w{fill:var(--w)}
.s0{fill:var(--s0)}.s1{fill:var(--s1)}.s2{fill:var(--s2)}.s3{fill:var(--s3)}.s4{fill:var(--s4)}.s5{fill:var(--s5)}
.s6{fill:var(--s6)}.s7{fill:var(--s7)}
i.r{background:var(--r)}i.o{background:var(--o)}i.y{background:var(--y)}i.g{background:var(--g)}
i.b{background:var(--b)}i.w{background:var(--w)}
`
